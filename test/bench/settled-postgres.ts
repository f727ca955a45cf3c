import { Client } from 'pg'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'

/** Of 16 MB each: what PostgreSQL writes, as it is set up, before it makes a checkpoint by itself. */
const logFiles = 60

/**
 * Starts a PostgreSQL that flushes to disk, as those in production do, and that goes on as one that
 * has run for a while: its log uses the files of before again. A new one has to make each file, and
 * commits nothing in the 50 ms that this takes.
 */
export async function startSettledPostgres(): Promise<PostgresServer> {
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
