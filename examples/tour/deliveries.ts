import { signatureHeader, type FeedEvent } from '@feed-receiver/core'
import {
  createSender,
  fixture,
  fixtures,
  virtualClock,
  type AttemptRecord,
} from '@feed-receiver/sender'
import type { App } from './app.ts'
import type { Board, Row } from './board.ts'

/** The sending side: every kind of event twice, then what can go wrong on the way. */
export async function deliverEverything(app: App, secret: string, board: Board): Promise<void> {
  await deliverFixturesTwice(app, secret, board)
  await attemptForgeries(app, secret, board)
  await deliverUnknownSchema(app, secret, board)
  await deliverThroughOutage(app, secret, board)
}

async function deliverFixturesTwice(app: App, secret: string, board: Board): Promise<void> {
  await using sender = createSender({ secret })
  const deliveries = fixtures.map((event) => ({ event, row: board.add(event.id, event.type) }))
  const deliver = ({ event, row }: (typeof deliveries)[number]) =>
    sender.deliver(event, { to: app.url, onAttempt: (record) => show(board, row, record) })

  for (const delivery of deliveries) await deliver(delivery)
  await Promise.all(deliveries.map(deliver))
}

async function attemptForgeries(app: App, secret: string, board: Board): Promise<void> {
  const attempt = async (name: string, sender = createSender({ secret }), headers = {}) => {
    const event = namedEvent(name)
    const record = await sender.attempt(event, { to: app.url, headers })
    show(board, board.add(event.id, event.type), record)
    await sender.close()
  }

  const genuine = Buffer.from(JSON.stringify(namedEvent('changed_byte')).replace('1', '2'))
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const signature = signatureHeader({ secret, timestampSeconds, body: genuine })
  await attempt('changed_byte', createSender({ secret }), { 'feed-signature': signature })

  await attempt('wrong_secret', createSender({ secret: `${secret}x` }))

  await attempt('late', createSender({ secret, signingClock: twentyMinutesAgo }))
}

async function deliverUnknownSchema(app: App, secret: string, board: Board): Promise<void> {
  await using sender = createSender({ secret })
  const event = { ...namedEvent('schema_2'), schema_version: '2.0' }
  const row = board.add(event.id, event.type)
  await sender.deliver(Buffer.from(JSON.stringify(event)), {
    to: app.url,
    onAttempt: (record) => show(board, row, record),
  })
}

/** The first two attempts meet an inbox that is down. A virtual clock passes the waits at once. */
async function deliverThroughOutage(app: App, secret: string, board: Board): Promise<void> {
  const clock = virtualClock()
  await using sender = createSender({ secret, clock })
  const event = namedEvent('outage')
  const row = board.add(event.id, event.type)

  await app.inbox.stop()
  const delivered = sender.deliver(event, {
    to: app.url,
    onAttempt: (record) => show(board, row, record),
  })
  await clock.next()
  await app.open()
  await clock.next()
  await delivered
}

function twentyMinutesAgo(): number {
  return Date.now() - 20 * 60_000
}

function namedEvent(name: string): FeedEvent {
  return fixture('release_note', { id: `evt_tour_${name}` })
}

function show(board: Board, row: Row, { status, cause }: AttemptRecord): void {
  row.answers.push(status ?? cause)
  board.draw(`${row.event} ${row.type}, attempt ${row.answers.length}: ${status ?? cause}`)
}
