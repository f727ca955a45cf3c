import type { SubjectName } from '../../chaos/faults/subject.ts'

/** How a report names the receivers that it compares. */
export const names: Record<SubjectName, string> = {
  'feed-receiver': 'this kit',
  naive: 'insert, then send',
  'pg-boss': 'pg-boss in transactions',
  bullmq: 'BullMQ, Redis by default',
  'bullmq-always': 'BullMQ, `appendfsync always`',
}
