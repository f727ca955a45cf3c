import { renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askDatabase, openClient } from './ask-database.ts'
import { watchBullMq, watchPgBoss } from './job-queue.ts'
import { startMember, type Member } from './member.ts'
import type { OperatorOrder } from './programs/operator.ts'
import type { ReceiverOrder } from './programs/run-receiver.ts'
import type { WorkerOrder } from './programs/run-worker.ts'
import type { SenderOrder } from './programs/sender.ts'
import type { MemberSettings, SenderSettings } from './programs/settings.ts'
import { startProxy } from './proxy.ts'
import { openStores } from './stores.ts'
import { contenders, type ContenderName } from '../../bench/contenders/contenders.ts'
import { createTraffic } from './traffic.ts'
import type { DatabaseRoute } from './database-route.ts'
import type { Secrets, World } from './world.ts'

export interface WorldOptions {
  seed: number
  /** How many events the sender may be asked for. */
  events: number
  perSecond: number
  folder: string
  /** The receiver to strike. @default 'feed-receiver' */
  contender?: ContenderName
  programs?: { receiver?: URL; worker?: URL }
  /** How the programs find the primary. @default 'address' */
  route?: DatabaseRoute
  /** Whether PostgreSQL is on a disk that a fault can fill. @default false */
  hasSmallDisk?: boolean
}

const program = (name: string) => new URL(`programs/${name}.ts`, import.meta.url)

export async function startWorld({
  seed,
  events,
  perSecond,
  folder,
  route = 'address',
  hasSmallDisk = false,
  contender = 'feed-receiver',
  programs = {},
}: WorldOptions): Promise<World> {
  const needs = contenders[contender]
  const isOurs = contender === 'feed-receiver'
  const { receiver = program(isOurs ? 'receiver' : 'contender-receiver') } = programs
  const { worker = program(isOurs ? 'worker' : 'contender-worker') } = programs
  const stores = await openStores({ route, hasSmallDisk, redis: needs.redis })
  const { cluster, disk, redis, databaseUrl, redisUrl, ownUrl } = stores
  const undo: (() => unknown)[] = [() => stores.close()]
  try {
    return await build()
  } catch (error) {
    await stop()
    throw error
  }

  async function build(): Promise<World> {
    const secret = `feed_whsec_faults_${seed}_0_0123456789abcdef`
    const secrets: Secrets = { signing: secret, accepted: [secret] }

    const sql = <Row>(text: string, values?: unknown[]) => askDatabase<Row>(ownUrl, text, values)
    const at = 'at timestamptz default clock_timestamp()'
    await sql(`create table effect (event_id text, ${at})`)
    await sql(`create table reprocessed (event_id text, ${at})`)
    await sql(`create table told (key text, subject text, ${at})`)

    const startOnDatabase = <Order>(name: string, path: URL) =>
      keep(
        startMember<MemberSettings, Order>({
          name,
          program: path,
          folder,
          settings: () => ({ name, databaseUrl, redisUrl, contender, secrets: secrets.accepted }),
        }),
      )
    // The first one installs the tables and the queue. The others then find the queue's settings.
    const receiver0 = await startOnDatabase<ReceiverOrder>('receiver-0', receiver)
    const queue = needs.queue
      ? await watchPgBoss(ownUrl, sql, needs.queue)
      : watchBullMq(redis?.url ?? '')
    undo.push(() => queue.close())
    const [receiver1, operator, ...workers] = await Promise.all([
      startOnDatabase<ReceiverOrder>('receiver-1', receiver),
      isOurs ? startOnDatabase<OperatorOrder>('operator', program('operator')) : undefined,
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
      sendToSender: (order) => sender.send(order),
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
        stores.reconnect()
      },
      disk,
      contender,
      redis,
      queue,
      databaseWire: stores.wire,
      front,
      receivers,
      workers,
      operator,
      sender,
      members: [...receivers, ...workers, ...(operator ? [operator] : []), sender],
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
