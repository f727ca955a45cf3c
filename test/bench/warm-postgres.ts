import { Client } from 'pg'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'

/** In files of 16 MB: how much PostgreSQL writes by default before it makes a checkpoint. */
const usualLogFiles = 60

/**
 * Starts a PostgreSQL that flushes to disk, as in production, and behaves like one that has run for
 * a while: it reuses its log files. A new one must create each file, and commits nothing in the 50
 * ms that this takes. Fewer files are made sooner, and are enough for a short run.
 */
export async function startWarmPostgres(logFiles = usualLogFiles): Promise<PostgresServer> {
  const postgres = await startPostgres({ isDurable: true })
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  await client.query(`alter system set min_wal_size = '${logFiles * 16}MB'`)
  await client.query('select pg_reload_conf()')
  for (let file = 0; file < logFiles; file += 1) {
    await client.query(`select pg_logical_emit_message(false, 'bench', 'one more file')`)
    await client.query('select pg_switch_wal()')
  }
  await client.query('checkpoint')
  await client.end()
  return postgres
}
