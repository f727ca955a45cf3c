import type { PGlite } from '@electric-sql/pglite'

export const maintainEveryMs = 60_000

const dueAfterBytes = 32 * 1_048_576

/**
 * Makes a checkpoint once the log (WAL) has grown. PGlite has no background process for it, so the log
 * of a process that runs for long would grow until the disk is full.
 */
export async function checkpointIfDue(lite: Pick<PGlite, 'query' | 'exec'>): Promise<void> {
  const { rows } = await lite.query<{ grown: number }>(
    'select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as grown from pg_control_checkpoint()',
  )
  if ((rows[0]?.grown ?? 0) >= dueAfterBytes) await lite.exec('checkpoint')
}
