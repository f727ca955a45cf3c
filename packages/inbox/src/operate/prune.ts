import { checkDays, checkOption } from '../errors.ts'
import type { InboxContext } from '../queue/queue.ts'
import { createSealing } from '../seal/seal-days.ts'
import { deleteBodiesSql, deleteEntriesSql, deleteSettledSql } from './prune-sql.ts'
import { inSlices } from './prune-slices.ts'

export interface PruneOptions {
  /**
   * For how many days after its end an entry keeps its content.
   * @default 90
   */
  bytesAfterDays?: number
  /**
   * After how many days done and skipped entries are deleted, with all their data, and settled
   * quarantine rows. At least 7. A later delivery of a deleted event counts as new, so choose more
   * days than the service can look back.
   * @default never
   */
  rowsAfterDays?: number | undefined
  /**
   * For how many days the counts of rejected deliveries and closed alerts are stored.
   * @default 90
   */
  historyAfterDays?: number
  /** Stops between two transactions once aborted. Committed work stays. */
  signal?: AbortSignal | undefined
}

/** How many entries `prune` has changed. */
export interface Pruned {
  /** Entries whose content was deleted. They keep their id and hash. */
  emptied: number
  /** Entries that were deleted. */
  deleted: number
}

/** Until then pg-boss may still have a job of an entry. */
const minRowDays = 7
/** How long to wait for transactions that keep days from being sealed. */
const sealWaitMs = 5_000

/**
 * Deletes content and entries that are older than the options say, one slice per transaction. An
 * entry without content keeps its id and hash, so that a repeated delivery is still a duplicate,
 * and different bytes are still detected. Received and dead entries stay whole. Errors:
 * `bad_option`.
 */
export async function prune(context: InboxContext, options: PruneOptions = {}): Promise<Pruned> {
  const { bytesAfterDays = 90, historyAfterDays = 90, rowsAfterDays, signal } = options
  checkDays('bytesAfterDays', bytesAfterDays)
  checkDays('historyAfterDays', historyAfterDays)
  if (rowsAfterDays !== undefined) {
    checkDays('rowsAfterDays', rowsAfterDays)
    const hint = `rowsAfterDays: use ${minRowDays} or more, because the queue stores jobs that long.`
    checkOption(rowsAfterDays >= minRowDays, hint)
  }
  await deleteHistory(context, historyAfterDays)
  const deleted = rowsAfterDays === undefined ? 0 : await deleteRows(context, rowsAfterDays, signal)
  const emptied = await inSlices(context, deleteBodiesSql(context.tables), bytesAfterDays, signal)
  return { emptied, deleted }
}

async function deleteRows(context: InboxContext, days: number, signal?: AbortSignal): Promise<number> {
  const { database, tables, source } = context
  await createSealing(context)({ waitMs: sealWaitMs, signal })
  const deleted = await inSlices(context, deleteEntriesSql(tables), days, signal)
  if (!signal?.aborted) await database.query(deleteSettledSql(tables), [source, days])
  return deleted
}

async function deleteHistory({ database, tables, source }: InboxContext, days: number): Promise<void> {
  const isOld = "< now() - $2::float8 * interval '1 day'"
  await database.query(
    `with alerts as (delete from ${tables.alert} where source = $1 and closed_at ${isOld})
     delete from ${tables.refusal} where source = $1 and last_at ${isOld}`,
    [source, days],
  )
}
