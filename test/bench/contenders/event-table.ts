import { Pool, type PoolClient } from 'pg'
import {
  poolSettings,
  report,
  type KeptEvent,
  type Query,
  type ContenderSettings,
} from './contender.ts'

/** A pool on a database with a table of events, whose primary key is the event id. */
export async function openEventTable({ databaseUrl, name }: ContenderSettings): Promise<Pool> {
  const pool = new Pool({
    ...poolSettings,
    connectionString: databaseUrl,
    application_name: name,
  })
  pool.on('error', report)
  await pool.query(`create table if not exists event (
    id text primary key, type text not null, body bytea not null,
    received_at timestamptz not null default now())`)
  return pool
}

/** Whether the event is new. */
export async function insertEvent(
  client: Pool | PoolClient,
  { id, type }: KeptEvent,
  body: Buffer,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'insert event',
    text: 'insert into event (id, type, body) values ($1, $2, $3) on conflict do nothing',
    values: [id, type, body],
  })
  return rowCount === 1
}

/** Reads a stored event for its handler. */
export async function readEvent(query: Query, id: string): Promise<KeptEvent> {
  const { rows } = await query('select body from event where id = $1', [id])
  const [{ body }] = rows as [{ body: Buffer }]
  return JSON.parse(body.toString())
}
