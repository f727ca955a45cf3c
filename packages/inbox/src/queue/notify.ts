import type { JobTable } from './queue.ts'

/** Notifies the workers of the queue that the pauses have changed, once the transaction commits. */
export function notifyPausesSql({ name, schema }: Pick<JobTable, 'name' | 'schema'>): string {
  return `select pg_notify('${schema}', '${pausesOf(name)}')::text`
}

/** A payload that cannot be the name of a queue, because no name contains a colon. */
export function pausesOf(name: string): string {
  return `pauses:${name}`
}

/**
 * Wakes the workers of the queue in every process, once the transaction commits: they listen for
 * it. As text, because Citus accepts no column without a type.
 */
export function wakeSql({ name, schema }: Pick<JobTable, 'name' | 'schema'>): string {
  return `select pg_notify('${schema}', '${name}')::text`
}
