/** How a careful user would store events by hand: row and job in one transaction of the pool. */
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

export type KeepEvent = (event: { id: string; type: string }, body: Buffer) => Promise<void>

export async function keepByHand(url: string): Promise<KeepEvent> {
  const pool = new Pool({ connectionString: url, max: 10 })
  await pool.query(`create table if not exists event (
    id text primary key, type text not null, body bytea not null,
    received_at timestamptz not null default now())`)
  const boss = new PgBoss({ connectionString: url, schedule: false })
  await boss.start()
  await boss.createQueue('events', { retryLimit: 10, retryBackoff: true })

  return async ({ id, type }, body) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rowCount } = await client.query(
        'insert into event (id, type, body) values ($1, $2, $3) on conflict do nothing',
        [id, type, body],
      )
      const db = {
        executeSql: (text: string, values: unknown[] = []) => client.query(text, values),
      }
      if (rowCount === 1) await boss.send('events', { id }, { db })
      await client.query('commit')
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}
