/**
 * A receiving app that runs unchanged on every runtime. Its argument is the database: a URL or a
 * folder. Each line of its input calls one of the methods below, and gets a line of JSON. After
 * `stop` and the end of its input the process exits by itself.
 */
import {
  createReceiver,
  type DeliveryInbox,
  type Receiver,
  type ReceiverOptions,
} from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { createInbox, RetryAfter } from '@feed-receiver/inbox'
import type { Served } from '../../contract/harness.ts'
import { answerCalls } from '../../support/answer-calls.ts'
import { serveWith, type Framework } from './frameworks.ts'

export type Methods = typeof methods

type Accepted = Parameters<DeliveryInbox['accept']>[0]
type Unreadable = Parameters<DeliveryInbox['quarantine']>[0]
/** A delivery as JSON. */
type Told<Delivery> = Omit<Delivery, 'body' | 'signedAt' | 'receivedAt' | 'event'> & {
  bodyBase64: string
}
export type ToldDelivery = Told<Accepted>
export type ToldUnreadable = Told<Unreadable>

const [target = ''] = process.argv.slice(2)
const secrets = [process.env.FEED_SIGNING_SECRET ?? '']

const database = openDatabase(target.startsWith('postgres:') ? target : { folder: target })
await database.query('create table if not exists effect (event_id text, attempt integer)')
const inbox = createInbox({ database })
await inbox.start()
await inbox.work(
  {
    '*': async (event, { tx, attempt }) => {
      await tx.query('insert into effect values ($1, $2)', [event.id, attempt])
      if (event.data.title === 'Fails once' && attempt === 1) throw new RetryAfter(1)
    },
  },
  { onFailed: () => {} },
)
const running = new Map<number, { server: Served; receiver: Receiver }>()

const methods = {
  async serve(framework: Framework, limits: Partial<ReceiverOptions>): Promise<number> {
    const receiver = createReceiver({ secrets, inbox, observe: () => {}, ...limits })
    const server = await serveWith(framework, receiver)
    running.set(server.port, { server, receiver })
    return server.port
  },
  async stopReceiver(port: number): Promise<void> {
    await running.get(port)?.receiver.stop()
  },
  async close(port: number): Promise<void> {
    await running.get(port)?.server.close()
    running.delete(port)
  },
  async holds(): Promise<{ stored: number; quarantined: string[] }> {
    const entries = await select<{ count: number }>(
      'select count(*)::integer as count from feed_inbox.entry',
    )
    const rows = await select<{ reason: string }>(
      'select reason from feed_inbox.quarantine order by id',
    )
    return { stored: entries[0]?.count ?? 0, quarantined: rows.map(({ reason }) => reason) }
  },
  /** The attempts in which handlers of events committed their writes. */
  async handled(...eventIds: string[]): Promise<number[]> {
    const text = 'select attempt from effect where event_id = any($1::text[])'
    return (await select<{ attempt: number }>(text, eventIds)).map(({ attempt }) => attempt)
  },
  async accept(told: ToldDelivery): Promise<unknown> {
    const delivery = read(told)
    return await inbox.accept({ ...delivery, event: JSON.parse(delivery.body.toString()) })
  },
  async quarantine(told: ToldUnreadable, reason: Parameters<DeliveryInbox['quarantine']>[1]) {
    await inbox.quarantine(read(told), reason)
  },
  async bytesOf(eventId: string): Promise<string | undefined> {
    const text = `select body from feed_inbox.entry join feed_inbox.entry_body on entry_id = id
      where event_id = $1`
    const [row] = await select<{ body: Uint8Array }>(text, eventId)
    return row && Buffer.from(row.body).toString('base64')
  },
  async quarantineOf(eventId: string): Promise<string[]> {
    const text = 'select reason from feed_inbox.quarantine where event_id = $1'
    return (await select<{ reason: string }>(text, eventId)).map(({ reason }) => reason)
  },
  async stop(): Promise<void> {
    await Promise.all([...running.values()].map(({ server }) => server.close()))
    await inbox.stop()
    await database.close()
  },
}

answerCalls(methods)

function read<Delivery extends { bodyBase64: string }>({ bodyBase64, ...delivery }: Delivery) {
  const body = Buffer.from(bodyBase64, 'base64')
  return { ...delivery, body, signedAt: new Date(), receivedAt: new Date() }
}

async function select<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
  return (await database.query<Row>(text, values)).rows
}
