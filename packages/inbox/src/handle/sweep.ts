import type { Tx } from '@feed-receiver/database'
import { isBehindSql } from '../entry/sql.ts'
import { InboxError } from '../errors.ts'
import { enqueueEntries } from '../queue/enqueue-entries.ts'
import { deadLetterName, queueName } from '../queue-names.ts'
import type { InboxContext } from '../context.ts'
import { unfinished, type DeadEntry } from './failure.ts'

/** The repairs of a sweep. */
export interface Swept {
  /** Received entries whose job was lost, and that have a new one. */
  requeued: number
  /** Received entries whose job was dead-lettered without the worker. */
  deadLettered: number
}

/**
 * Creates the sweep, which repairs received entries that no job will bring to a handler. pg-boss
 * deletes jobs that have waited too long, and dead-letters jobs whose last run was killed. Safe in
 * several processes at once, because an extra job finds its entry done. Each statement reads one
 * slice, because an embedded database does nothing else meanwhile. A sweep ends after `maxSlices`,
 * or when the signal aborts, and the next one continues there. `onDead` is called for each dead
 * entry.
 */
export function createSweep(
  context: InboxContext,
  { sliceSize = 250, maxSlices = 80 } = {},
): (onDead: (dead: DeadEntry) => void, signal?: AbortSignal) => Promise<Swept> {
  const { database, queue } = context
  let behind: number | undefined

  return async (onDead, signal) => {
    const swept: Swept = { requeued: 0, deadLettered: 0 }
    await database.tx((tx) => queue.unblock(tx))
    for (let slices = 0; slices < maxSlices; slices += 1) {
      const { stranded, end } = await findStranded(context, sliceSize, behind)
      behind = end
      if (stranded.length > 0) {
        const { requeued, dead } = await database.tx((tx) => repair(tx, context, stranded))
        swept.requeued += requeued
        swept.deadLettered += dead.length
        for (const one of dead) onDead(one)
      }
      if (end === undefined || signal?.aborted) break
    }
    return swept
  }
}

/**
 * Finds received entries with lost jobs, oldest first or after another entry. `end` is where the
 * slice ended, and undefined if no entry follows.
 */
export async function findStranded(context: InboxContext, sliceSize: number, behind?: number) {
  const { database, tables, source } = context
  const { rows } = await database.query<{ id: number; isStranded: boolean }>(
    `select id, ${hasNoJobSql(context)} as "isStranded"
     from ${tables.entry} entry
     where source = $1 and state = 'received' and received_at < now() - interval '1 minute'
       and ${isBehindSql(tables.entry, 'received_at', '>', '$2')}
     order by received_at, id
     limit ${sliceSize}`,
    [source, behind ?? null],
  )
  const stranded = rows.filter(({ isStranded }) => isStranded).map(({ id }) => id)
  return { stranded, end: rows.length < sliceSize ? undefined : rows.at(-1)?.id }
}

async function repair(tx: Tx, context: InboxContext, ids: readonly number[]) {
  const { tables } = context
  // Checked again under the lock, because another process may sweep as well.
  const { rows } = await tx.query<{ id: number; isDeadLettered: boolean }>(
    `select id, ${isDeadLetteredSql(context)} as "isDeadLettered"
     from ${tables.entry} entry
     where id = any($1::bigint[]) and state = 'received' and ${hasNoJobSql(context)}
     for update skip locked`,
    [ids],
  )
  const deadLettered = rows.filter(({ isDeadLettered }) => isDeadLettered).map(({ id }) => id)
  const lost = rows.filter(({ isDeadLettered }) => !isDeadLettered).map(({ id }) => id)
  const dead = deadLettered.length > 0 ? await endDeadLettered(tx, context, deadLettered) : []
  await enqueueEntries(tx, context, lost)
  return { requeued: lost.length, dead }
}

/** The queue dead-letters a job only when its retries are exhausted, and keeps the last error. */
async function endDeadLettered(
  tx: Tx,
  context: InboxContext,
  ids: readonly number[],
): Promise<DeadEntry[]> {
  const { tables } = context
  const { rows } = await tx.query<DeadLetteredEntry>(
    `update ${tables.entry} entry set state = 'dead', handled_at = now()
     where id = any($1::bigint[])
     returning id as "entryId", event_id as "eventId", type, (
       select json_build_object(
         'attempt', coalesce(source_retry_count, retry_count) + 1,
         'cause', coalesce(source_output #>> '{value,message}', source_output ->> 'message')
       ) from ${tables.job} job
       where data ->> 'entryId' = entry.id::text and name = any($2::text[])
       order by created_on desc limit 1
     ) as letter`,
    [ids, deadLettersOf(context)],
  )
  return rows.map(({ letter: { attempt, cause }, ...entry }) => ({
    ...entry,
    attempt,
    maxAttempts: attempt,
    error: new InboxError('not_finished', unfinished(cause ?? 'its process was killed')),
  }))
}

interface DeadLetteredEntry extends Pick<DeadEntry, 'entryId' | 'eventId' | 'type'> {
  letter: { attempt: number; cause: string | null }
}

/**
 * Whether no job will bring `entry` to a handler. Its job may be in the other queue of the source,
 * if a process with another setting of `ordered` runs it.
 */
function hasNoJobSql({ source, queue }: InboxContext): string {
  const names = [queue.name, queueName(source, !queue.isOrdered)]
  return `(${jobSql(queue.schema, names)} and job.state < 'completed' limit 1) is null`
}

/** Whether the job of `entry` is a dead letter. */
function isDeadLetteredSql(context: InboxContext): string {
  return `(${jobSql(context.queue.schema, deadLettersOf(context))} limit 1) is not null`
}

/** The job may have been dead-lettered before `ordered` changed. */
function deadLettersOf({ source }: InboxContext): string[] {
  return [false, true].map((isOrdered) => deadLetterName(queueName(source, isOrdered)))
}

// Selects an id, because PostgreSQL may answer "exists" by reading all jobs. Without statistics it
// also looks up the name, as if that were as rare as the entry; "offset 0" prevents that.
function jobSql(schema: string, names: readonly string[]): string {
  return `select job.id from (
      select id, name, state from ${schema}.job
      where data ->> 'entryId' = entry.id::text offset 0
    ) as job
    where job.name in (${names.map((name) => `'${name}'`).join(', ')})`
}
