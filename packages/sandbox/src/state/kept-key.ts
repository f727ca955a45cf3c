import { randomBytes } from 'node:crypto'
import type { Database } from '@feed-receiver/database'

/** A key of 32 bytes, given by whoever asks first and kept in the database from then on. */
export async function keptKey(
  database: Database,
  name: string,
  first: Buffer = randomBytes(32),
): Promise<Buffer> {
  const { rows } = await database.query<{ value: Buffer }>(
    `insert into sandbox.setting (name, value) values ($1, $2)
     on conflict (name) do update set value = setting.value
     returning value`,
    [name, first],
  )
  const [row] = rows
  if (!row) throw new Error(`The setting ${name} was neither made nor found.`)
  return row.value
}
