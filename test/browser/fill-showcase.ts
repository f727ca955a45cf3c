import { createReceiver, type FeedEvent } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import type { Database } from '@feed-receiver/database'
import { Permanent, type Handlers, type Inbox } from '@feed-receiver/inbox'
import { fixtures } from '@feed-receiver/sender'
import { until } from '../support/until.ts'

const oldSecret = 'feed_whsec_showcase_old_0123456789abcdef'
const newSecret = 'feed_whsec_showcase_new_fedcba9876543210'

/** What the showcase does with its events: some fail for now, some for good, some are nobody's. */
export const showcaseHandlers: Handlers = {
  '*': ({ id, type }) => {
    if (id.endsWith('_178')) throw new Error('connect ETIMEDOUT 10.0.4.17:443')
    if (id.endsWith('57')) throw new Permanent('No page is set up for this provider.')
    if (type.startsWith('research')) throw new Permanent('The index of papers refused it (422).')
  },
}

/** Streams of the pull API as somebody may poll them. */
const [everything, early] = [
  'default https://api.feed.example/v1/events',
  'default https://api.feed.example/v1/events?confirmation=unconfirmed',
]

/** Fills an inbox with a day as one may find it, each sort of trouble included. */
export async function fillShowcase(inbox: Inbox, database: Database): Promise<void> {
  const secrets = [newSecret, oldSecret]
  const receiver = createReceiver({ secrets, inbox })
  const deliver = (event: object | Uint8Array, secret = newSecret, headers = {}) =>
    receiver.receive(signDelivery(event, { secret, headers }))

  const all = Array.from({ length: 180 }, (_, number) => pick(number))
  for (const event of all.slice(0, 20)) await deliver(event, oldSecret)
  await Promise.all(all.slice(20).map((event) => deliver(event)))
  await Promise.all(all.slice(30, 60).map((event) => deliver(event)))

  await inbox.work(showcaseHandlers)
  // One by one on an embedded database, beside browsers that want the processor too.
  const withinMs = 50_000
  await until(
    'most are handled',
    async () => (await inbox.entries.count({ state: 'received' })).count < 4,
    { withinMs },
  )
  await spread(database)

  const [first, second] = all
  if (!first || !second) throw new Error('there are fixtures')
  await deliver({ ...first, data: { ...first.data, title: `${first.data.title} today` } })
  await deliver(Buffer.from('{"id":"evt_cut", "type":"model_rel'))
  await deliver({ ...second, id: 'evt_future', schema_version: '2.0' })
  await deliver({ ...second, id: 'evt_bare', data: { provider: 'northwind-ai' } })
  await deliver({ ...second, id: 'evt_one' }, newSecret, { 'feed-event-id': 'evt_other' })
  await pull(inbox, all)
}

/** Gives the hours before now as a time. */
function ago(hours: number): Date {
  return new Date(Date.now() - hours * 3_600_000)
}

/** What a poller has seen: some that push has missed, and some that have changed. */
async function pull(inbox: Inbox, pushed: readonly FeedEvent[]): Promise<void> {
  const poll = (events: FeedEvent[], hours: number, more = {}) =>
    inbox.acceptPage(events, { stream: everything, at: ago(hours), expects: () => true, ...more })
  await poll([], 22, { cursor: 'first' })
  await poll([], 9, { cursor: 'second', gapCode: 'invalid_request' })
  const missed = [181, 183, 184].map((number) => ({
    ...pick(number),
    created_at: ago(4).toISOString(),
    pull: { detectedVia: 'rss' },
  }))
  await poll(missed, 3.5)

  const [changing, retracted] = pushed.slice(170, 172)
  if (!changing || !retracted) throw new Error('there are that many')
  const summary = 'Requests to two regions fail. The status page names a third since noon.'
  const corrected = {
    ...changing,
    data: { ...changing.data, summary, title: `${changing.data.title}, in three regions` },
    pull: { correctedAt: ago(0.7).toISOString() },
  }
  await poll([corrected], 0.65)
  const withdrawn = { ...retracted, pull: { retractedAt: ago(0.5).toISOString() } }
  const again = { ...corrected, data: { ...corrected.data, confirmation: 'confirmed' } }
  const facts = { correctedAt: ago(0.5).toISOString() }
  const resetsAt = ago(-9.5 * 24).toISOString()
  const usage = { requests: 31_204, limit: 100_000, period: resetsAt.slice(0, 7), resetsAt }
  await poll([withdrawn, { ...again, pull: facts }], 0.4, { usage, isReread: true })
  await poll([], 0.01)

  await inbox.acceptPage([], { stream: early, cursor: 'early', at: ago(1.2) })
  const holder = 'showcase'
  await inbox.streams.take(early, { holder, leaseMs: 60_000, at: ago(0.05) })
  const waiting = { phase: 'waiting', code: 'rate_limited', waitUntil: ago(-0.3) } as const
  await inbox.streams.note(early, holder, waiting)
}

// Most of a day is releases and outages, and no two hours are alike.
const often = fixtures.filter(({ type }) => /release|outage|pricing/.test(type))

function pick(number: number): FeedEvent {
  const spot = (number * 7_919 + number * number * 31) % 1_000
  const event = spot < 720 ? often[spot % often.length] : fixtures[spot % fixtures.length]
  if (!event) throw new Error('there are fixtures')
  return { ...event, id: `${event.id}_${number}` }
}

/** Over the last day, more in its afternoon: what came in a second is spread by its number. */
async function spread(database: Database): Promise<void> {
  await database.query(
    `update feed_inbox.entry set
       received_at = now() - spot, first_push_at = now() - spot, created_at = now() - spot * 1.01,
       last_push_at = now() - spot + (push_count - 1) * interval '40 seconds',
       signed_at = now() - spot,
       handled_at = case when handled_at is not null then now() - spot + interval '1.4 seconds' end
     from (
       select spot_id, spot - min(spot) over () + interval '4 minutes' as spot
       from (
         select id as spot_id,
           (1 - row_number() over (order by id) / (count(*) over () + 0.6)) * interval '22 hours'
           + (sin(id * 0.21) + sin(id * 0.077)) * interval '70 minutes' as spot
         from feed_inbox.entry
       ) waves
     ) spots where spot_id = id`,
  )
}
