import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Client } from 'pg'
import { createTestDatabase, type PostgresServer } from '../support/postgres.ts'
import { askDatabase, openClient } from './ask-database.ts'
import { startCluster } from './cluster.ts'
import { startMember, type Member } from './member.ts'
import { startProxy, type Proxy } from './proxy.ts'
import type { OperatorOrder } from './programs/operator.ts'
import type { ReceiverOrder } from './programs/run-receiver.ts'
import type { WorkerOrder } from './programs/run-worker.ts'
import type { SenderOrder } from './programs/sender.ts'
import type { MemberSettings, SenderSettings } from './programs/settings.ts'
import { quickQueueSql, startSupervisor, type Supervisor } from './supervisor.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import { atPort, openWay, type Way } from './way.ts'

/** Everything that runs, and that faults may strike. */
export interface World {
  /** The current primary server. */
  readonly postgres: PostgresServer
  /** Starts a server that has everything committed on the current primary. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. Only connections of the harness move to it by themselves. */
  promote(standby: PostgresServer): Promise<void>
  readonly supervisor: Supervisor
  /** The log of PostgreSQL. */
  readonly postgresLog: string
  /** Between the programs and the database. */
  readonly databaseProxy: Proxy
  /** Between the sender and the receivers. */
  readonly front: Proxy
  readonly receivers: readonly Member<ReceiverOrder>[]
  readonly workers: readonly Member<WorkerOrder>[]
  readonly operator: Member<OperatorOrder>
  readonly sender: Member<SenderOrder>
  readonly members: readonly Member[]
  readonly secrets: Secrets
  readonly traffic: Traffic
  /** Queries the database directly, not through the programs' proxy. */
  sql<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Opens a direct connection, for example to hold a lock. */
  connect(): Promise<Client>
  stop(): Promise<void>
  /** Stops PostgreSQL, and moves its data into the folder of the run. */
  keepDatabase(): Promise<void>
}

export interface Secrets {
  signing: string
  accepted: string[]
}

export interface WorldOptions {
  seed: number
  /** How many events the sender may be asked for. */
  events: number
  perSecond: number
  folder: string
  programs?: { receiver?: URL; worker?: URL }
  /** How the programs find the primary. @default 'address' */
  way?: Way
}

const program = (name: string) => new URL(`programs/${name}.ts`, import.meta.url)

export async function startWorld({
  seed,
  events,
  perSecond,
  folder,
  way = 'address',
  programs: { receiver = program('receiver'), worker = program('worker') } = {},
}: WorldOptions): Promise<World> {
  const cluster = await startCluster({ takesTurns: way !== 'address' })
  const undo: (() => unknown)[] = [() => cluster.stop()]
  try {
    return await build()
  } catch (error) {
    await stop()
    throw error
  }

  async function build(): Promise<World> {
    const { url } = await createTestDatabase(cluster.primary)
    const { databaseUrl, databaseProxy, close } = await openWay(way, cluster, url)
    undo.push(close)
    const ownProxy = await startProxy(() => [cluster.port])
    undo.push(() => ownProxy.close())
    const ownUrl = atPort(url, ownProxy.port)
    const secret = `feed_whsec_faults_${seed}_0_0123456789abcdef`
    const secrets: Secrets = { signing: secret, accepted: [secret] }

    const sql = <Row>(text: string, values?: unknown[]) => askDatabase<Row>(ownUrl, text, values)
    const at = 'at timestamptz default clock_timestamp()'
    await sql(`create table effect (event_id text, ${at})`)
    await sql(`create table replayed (event_id text, ${at})`)
    await sql(`create table told (key text, subject text, ${at})`)

    const startOnDatabase = <Order>(name: string, path: URL) =>
      keep(
        startMember<MemberSettings, Order>({
          name,
          program: path,
          folder,
          settings: () => ({ name, databaseUrl, secrets: secrets.accepted }),
        }),
      )
    // The first one installs the tables and the queue. The others then find the queue's settings.
    const receiver0 = await startOnDatabase<ReceiverOrder>('receiver-0', receiver)
    await sql(quickQueueSql)
    const supervisor = await startSupervisor(ownUrl)
    undo.push(() => supervisor.stop())
    const [receiver1, operator, ...workers] = await Promise.all([
      startOnDatabase<ReceiverOrder>('receiver-1', receiver),
      startOnDatabase<OperatorOrder>('operator', program('operator')),
      startOnDatabase<WorkerOrder>('worker-0', worker),
      startOnDatabase<WorkerOrder>('worker-1', worker),
    ])
    const receivers = [receiver0, receiver1]
    const openPorts = () => receivers.map(({ port }) => port).filter((port) => port !== 0)
    const front = await startProxy(openPorts)
    undo.push(() => front.close())

    const traffic = createTraffic({
      limit: events,
      perSecond,
      tellSender: (order) => sender.tell(order),
    })
    const sender = await keep(
      startMember<SenderSettings, SenderOrder>({
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
      get postgres() {
        return cluster.primary
      },
      get postgresLog() {
        return join(dirname(cluster.primary.dataFolder), 'log')
      },
      startStandby: cluster.startStandby,
      async promote(standby) {
        await cluster.promote(standby)
        ownProxy.cut()
      },
      supervisor,
      databaseProxy,
      front,
      receivers,
      workers,
      operator,
      sender,
      members: [...receivers, ...workers, operator, sender],
      secrets,
      traffic,
      sql,
      connect: () => openClient(ownUrl),
      stop,
      async keepDatabase() {
        await cluster.primary.stop('fast', { keepsData: true })
        renameSync(dirname(cluster.primary.dataFolder), join(folder, 'postgres'))
      },
    }
  }

  async function keep<Order>(starting: Promise<Member<Order>>): Promise<Member<Order>> {
    const member = await starting
    undo.push(() => member.stop())
    return member
  }

  // In reverse order of their start.
  async function stop(): Promise<void> {
    for (const step of undo.splice(0).toReversed()) await step()
  }
}
