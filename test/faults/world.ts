import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { createTestDatabase, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { startMember, type Member } from './member.ts'
import { startProxy, type Proxy } from './proxy.ts'
import type { MemberSettings, SenderSettings } from './programs/settings.ts'
import { quickQueueSql, startSupervisor } from './supervisor.ts'

/** Everything that runs, and that faults may strike. */
export interface World {
  readonly postgres: PostgresServer
  /** What PostgreSQL has written. */
  readonly postgresLog: string
  /** Between the programs and the database. */
  readonly databaseProxy: Proxy
  /** Between the sender and the receivers. */
  readonly front: Proxy
  readonly receivers: readonly Member[]
  readonly workers: readonly Member[]
  readonly sender: Member
  readonly members: readonly Member[]
  readonly secrets: Secrets
  readonly traffic: Traffic
  /** Asks the database directly, past the proxy. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** A connection past the proxy, to hold something with. */
  connect(): Promise<Client>
  stop(): Promise<void>
  /** Stops PostgreSQL, and moves what it has on its disk into the folder of the run. */
  keepDatabase(): Promise<void>
}

export interface Secrets {
  signing: string
  accepted: string[]
}

/** What the sender may send, and how far it has come. */
export interface Traffic {
  allowed: number
  perSecond: number
  acknowledged: number
  /** Lets the sender go as far as this, and never back, at a speed. */
  allow(events: number, perSecond?: number): void
}

export interface WorldOptions {
  seed: number
  /** As many as may be asked of the sender. */
  events: number
  perSecond: number
  folder: string
  programs?: { receiver?: URL; worker?: URL }
}

const program = (name: string) => new URL(`programs/${name}.ts`, import.meta.url)

export async function startWorld({
  seed,
  events,
  perSecond,
  folder,
  programs: { receiver = program('receiver'), worker = program('worker') } = {},
}: WorldOptions): Promise<World> {
  const postgres = await startPostgres({ isDurable: true })
  const undo: (() => unknown)[] = [() => postgres.stop()]
  try {
    return await build()
  } catch (error) {
    await stop()
    throw error
  }

  async function build(): Promise<World> {
    const { url } = await createTestDatabase(postgres)
    const databaseProxy = await startProxy(() => [Number(new URL(url).port)])
    undo.push(() => databaseProxy.close())
    const throughProxy = new URL(url)
    throughProxy.port = String(databaseProxy.port)
    const secret = `feed_whsec_faults_${seed}_0_0123456789abcdef`
    const secrets: Secrets = { signing: secret, accepted: [secret] }

    const sql = <Row>(text: string, values?: unknown[]) => ask<Row>(url, text, values)
    await sql('create table effect (event_id text, at timestamptz default clock_timestamp())')

    const startReceiving = (name: string, path: URL) =>
      keep(
        startMember<MemberSettings>({
          name,
          program: path,
          folder,
          settings: () => ({ name, databaseUrl: throughProxy.href, secrets: secrets.accepted }),
        }),
      )
    // The first one installs the tables and the queue, whose settings the others then find.
    const first = await startReceiving('receiver-0', receiver)
    await sql(quickQueueSql)
    const supervisor = await startSupervisor(url)
    undo.push(() => supervisor.stop())
    const [second, ...workers] = await Promise.all([
      startReceiving('receiver-1', receiver),
      startReceiving('worker-0', worker),
      startReceiving('worker-1', worker),
    ])
    const receivers = [first, second]
    const openPorts = () => receivers.map(({ port }) => port).filter((port) => port !== 0)
    const front = await startProxy(openPorts)
    undo.push(() => front.close())

    const traffic: Traffic = {
      allowed: 0,
      perSecond,
      acknowledged: 0,
      allow(count, speed = traffic.perSecond) {
        traffic.allowed = Math.min(Math.max(count, traffic.allowed), events)
        traffic.perSecond = speed
        const order = { allowed: traffic.allowed, perSecond: traffic.perSecond }
        void sender.tell(order).catch(() => undefined)
      },
    }
    const sender = await keep(
      startMember<SenderSettings>({
        name: 'sender',
        program: program('sender'),
        folder,
        settings: () => ({
          to: `http://127.0.0.1:${front.port}/webhooks/feed`,
          secret: secrets.signing,
          seed,
          events,
          allowed: traffic.allowed,
          perSecond: traffic.perSecond,
          logPath: join(folder, 'attempts.log'),
        }),
        onMessage: (message: { acknowledged?: number }) => {
          traffic.acknowledged = message.acknowledged ?? traffic.acknowledged
        },
      }),
    )
    return {
      postgres,
      postgresLog: join(dirname(postgres.dataFolder), 'log'),
      databaseProxy,
      front,
      receivers,
      workers,
      sender,
      members: [...receivers, ...workers, sender],
      secrets,
      traffic,
      sql,
      connect: () => openClient(url),
      stop,
      async keepDatabase() {
        await postgres.stop('fast', { keepsData: true })
        renameSync(dirname(postgres.dataFolder), join(folder, 'postgres'))
      },
    }
  }

  async function keep(starting: Promise<Member>): Promise<Member> {
    const member = await starting
    undo.push(() => member.stop())
    return member
  }

  // The last that was started goes first.
  async function stop(): Promise<void> {
    for (const step of undo.splice(0).toReversed()) await step()
  }
}

/** Asks again for a while: the database may be on its way up. */
async function ask<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await until(
    `an answer to ${text.slice(0, 60)}`,
    async () => {
      const client = await openClient(url).catch(() => undefined)
      if (!client) return undefined
      try {
        return await client.query<Row & object>(text, values)
      } catch (error) {
        if (isPassing(error)) return undefined
        throw error
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    { withinMs: 60_000 },
  )
  return rows
}

async function openClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'harness' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

// Everything but an error in the statement itself: the server stops, starts, or has cut the connection.
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return !/^\d[0-9A-Z]{4}$/.test(code) || /^(?:08|57P|40|55P)/.test(code)
}
