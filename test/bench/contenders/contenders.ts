import type { RedisOptions } from '../../support/redis.ts'
import { queueName } from './contender.ts'

/** A queue on pg-boss. */
export interface QueueName {
  schema: string
  name: string
}

interface Stores {
  /** How a report names the contender. */
  title: string
  /** Where its jobs are; undefined if they are in Redis. */
  queue?: QueueName
  redis?: RedisOptions
}

const onPgBoss: QueueName = { schema: 'pgboss', name: queueName }

/** The receivers that benchmarks, checks and fault runs compare: this kit, and the others. */
const all = {
  'feed-receiver': { title: 'this kit', queue: { schema: 'feed_inbox', name: 'feed' } },
  naive: { title: 'insert, then send', queue: onPgBoss },
  'pg-boss': { title: 'pg-boss in transactions', queue: onPgBoss },
  bullmq: { title: 'BullMQ, Redis by default', redis: {} },
  'bullmq-always': { title: 'BullMQ, `appendfsync always`', redis: { appendsAlways: true } },
} satisfies Record<string, Stores>

export type ContenderName = keyof typeof all
export const contenders: Record<ContenderName, Stores> = all
export const contenderNames = Object.keys(all) as ContenderName[]
