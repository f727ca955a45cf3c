import { createReceiver, type ReceiverOptions } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

const secret = 'feed_whsec_pausetest0123456789abcdef'
const signed = () => signDelivery(makeEvent(), { secret })
const forged = () => signDelivery(makeEvent(), { secret: `${secret}_other` })

describeOnEach('the health after a rejection on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox
  let number = 0

  beforeEach(async () => {
    number += 1
    inbox = createInbox({ database: database(), source: `source_${number}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
  })

  const receiverWith = (options: Partial<ReceiverOptions> = {}) =>
    createReceiver({ secrets: secret, inbox, observe: () => {}, ...options })
  const written = async () => {
    await expect.poll(() => inbox.rejections()).not.toEqual([])
  }

  /** An answer of code around the inbox, which says nothing about signatures. */
  const reject = (status: number) =>
    inbox.answered({ notes: [], reason: 'blocked' as 'store_failed', status, durationMs: 1 })
  const storeMissed = () =>
    database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, via, pulled_at, push_expected)
       values ($1, 'missed', 'done', 't', 'p', 'c', 't', 'c', now(), now() - interval '2 hours',
         'pull', now() - interval '2 hours', true)`,
      [`source_${number}`],
    )
  /** Hourly deliveries of ten days, the last one some hours ago. */
  const storeRegular = (lastHoursAgo: number) =>
    database().query(
      `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
         confirmation, created_at, received_at, push_count, last_push_at, signed_by, signed_at)
       select $1, 'regular-' || n, 'done', 't', 'p', 'c', 't', 'c', at, at, 1, at, 'one', at
       from (select n, now() - n * interval '1 hour' as at from generate_series($2::int, 240) n) given`,
      [`source_${number}`, lastHoursAgo],
    )
  const paused = (evidence: RegExp) => [
    { code: 'deliveries_rejected', message: expect.stringMatching(evidence) },
  ]

  it('explains an error of the database whose message may quote a row', embedded, async () => {
    const error = Object.assign(new Error('The row (4711) is wrong.'), { code: '23514' })
    const rejected = { notes: [], durationMs: 1, status: 503, error }
    inbox.answered({ ...rejected, reason: 'store_failed' })
    await written()
    expect(await inbox.rejections()).toMatchObject([
      {
        cause: 'A constraint of a table rejects the row (23514).',
        fix: 'Undo the change of the table: the kit owns the tables of its schema.',
      },
    ])
  })

  it.each<[string, Partial<ReceiverOptions>, object]>([
    ['an unknown signature', {}, {}],
    ['no signature', {}, { headers: {} }],
    ['a malformed signature', {}, { headers: { 'feed-signature': 'v1=0' } }],
    ['an unknown signature, answered with 404', { statuses: { signature_mismatch: 404 } }, {}],
    ['a method that the service never uses', {}, { method: 'GET' }],
    ['a status that leads to retries', { statuses: { signature_mismatch: 503 } }, {}],
    ['a compressed body', {}, { headers: { 'content-encoding': 'gzip' } }],
  ])(
    'does not warn of a pause after %s, because anybody can send that',
    async (_, options, change) => {
      const receiver = receiverWith(options)
      await receiver.receive(signed())
      await receiver.receive({ ...forged(), ...change })
      await written()
      expect(await inbox.health()).toMatchObject({
        ok: true,
        warnings: [],
        rejections: [{ count: 1 }],
      })
    },
  )

  it('warns first that the feed is probably paused if push misses events, until it delivers again', async () => {
    const receiver = receiverWith()
    await storeMissed()
    await receiver.receive(signed())
    await receiver.receive(forged())
    await written()
    expect(await inbox.health()).toMatchObject({ warnings: [{ code: 'missed' }] })
    await database().query(
      `update feed_inbox.entry set last_push_at = now() - interval '3 hours',
         signed_at = now() - interval '3 hours', received_at = received_at - interval '3 hours'
       where source = $1 and push_count = 1`,
      [`source_${number}`],
    )
    await database().query(`update feed_inbox.job set start_after = now() - interval '1 hour'`)
    expect(await inbox.health()).toMatchObject({
      warnings: paused(
        /answered 401 \(signature_mismatch\) at 20.*Z\. Push has missed 1 events since .* Give the receiver/,
      ),
      problems: [{ code: 'nothing_claimed' }],
    })
    await receiver.receive(signed())
    expect(await inbox.health()).toMatchObject({ warnings: [{ code: 'missed' }] })
  })

  it.each([
    [5, 1],
    [1, 0],
  ])(
    'with deliveries each hour, %i hours of silence after a rejection give %i warnings',
    async (hours, count) => {
      await storeRegular(hours)
      await receiverWith().receive(forged())
      await written()
      const { warnings } = await inbox.health()
      expect(warnings).toHaveLength(count)
      expect(warnings).toMatchObject(
        count === 0 ? [] : paused(/accepted no delivery since 20.*, longer than usual\./),
      )
    },
  )

  it.each([
    [403, 1],
    [503, 0],
  ])(
    'a rejection with %i by your own code, around the inbox, gives %i warnings',
    async (status, count) => {
      await receiverWith().receive(signed())
      reject(status)
      await written()
      const { warnings } = await inbox.health()
      expect(warnings).toHaveLength(count)
      expect(warnings).toMatchObject(
        count === 0 ? [] : paused(/answered 403 \(other\) at .*accepted no delivery since/),
      )
    },
  )

  it('stays ok, so no stranger can make a health route take the app down', async () => {
    await receiverWith().receive(forged())
    await written()
    expect(await inbox.health()).toMatchObject({ ok: true, problems: [] })
  })

  it('stops warning once a known event arrives again', embedded, async () => {
    const receiver = receiverWith()
    const delivery = signed()
    await receiver.receive(delivery)
    reject(404)
    await written()
    expect(await inbox.health()).toMatchObject({ warnings: [{ code: 'deliveries_rejected' }] })
    expect(await receiver.receive(delivery)).toMatchObject({ status: 200 })
    expect(await inbox.health()).toMatchObject({ warnings: [] })
  })
})
