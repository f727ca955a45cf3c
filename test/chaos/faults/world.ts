import type { Client } from 'pg'
import type { ContenderName } from '../../bench/contenders/contenders.ts'
import type { PostgresServer } from '../../support/postgres.ts'
import type { RedisServer } from '../../support/redis.ts'
import type { SmallDisk } from '../../support/small-disk.ts'
import type { JobQueue } from './job-queue.ts'
import type { Member } from './member.ts'
import type { OperatorOrder } from './programs/operator.ts'
import type { ReceiverOrder } from './programs/run-receiver.ts'
import type { WorkerOrder } from './programs/run-worker.ts'
import type { SenderOrder } from './programs/sender.ts'
import type { Proxy, Wire } from './proxy.ts'
import type { Traffic } from './traffic.ts'

/** Everything that runs, and that faults may strike. */
export interface World {
  /** The current primary server. */
  readonly postgres: PostgresServer
  /** Starts a server that has everything committed on the current primary. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. Only connections of the harness move to it by themselves. */
  promote(standby: PostgresServer): Promise<void>
  /** Where PostgreSQL has its data, in a run with a small disk. */
  readonly disk?: SmallDisk | undefined
  /** The receiver that faults strike. */
  readonly contender: ContenderName
  /** Where BullMQ has its jobs. Other receivers have none. */
  readonly redis?: RedisServer | undefined
  readonly queue: JobQueue
  /** The log of PostgreSQL. */
  readonly postgresLog: string
  /** Between the programs and their databases. */
  readonly databaseWire: Wire
  /** Between the sender and the receivers. */
  readonly front: Proxy
  readonly receivers: readonly Member<ReceiverOrder>[]
  readonly workers: readonly Member<WorkerOrder>[]
  /** Only of this kit. */
  readonly operator?: Member<OperatorOrder> | undefined
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
