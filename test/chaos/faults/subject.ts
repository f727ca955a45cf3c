import type { RedisOptions } from '../../support/redis.ts'
import { queueName, type RivalName } from '../../bench/contenders/open-rival.ts'

/** A queue on pg-boss. */
export interface QueueName {
  schema: string
  name: string
}

/** The receiver that a run injects faults into. */
export interface Subject {
  /** Undefined for this kit. */
  rival?: RivalName
  /** Where its jobs are; undefined if they are in Redis. */
  queue?: QueueName
  redis?: RedisOptions
}

const onPgBoss: QueueName = { schema: 'pgboss', name: queueName }

/** The receivers that a run can be about. */
export const subjects = {
  'feed-receiver': { queue: { schema: 'feed_inbox', name: 'feed' } },
  naive: { rival: 'naive', queue: onPgBoss },
  'pg-boss': { rival: 'pg-boss', queue: onPgBoss },
  bullmq: { rival: 'bullmq', redis: {} },
  'bullmq-always': { rival: 'bullmq-always', redis: { appendsAlways: true } },
} satisfies Record<string, Subject>

export type SubjectName = keyof typeof subjects
export const subjectNames = Object.keys(subjects) as SubjectName[]
