import type { Queryable } from '@feed-receiver/database'

/** Reads a value that is stored once. The first caller supplies it. */
export async function initSetting(db: Queryable, name: string, first: Buffer): Promise<Buffer> {
  const { rows } = await db.query<{ value: Buffer }>(
    `insert into sandbox.setting (name, value) values ($1, $2)
     on conflict (name) do update set value = setting.value
     returning value`,
    [name, first],
  )
  const [row] = rows
  if (!row) throw new Error(`The setting ${name} was neither created nor found.`)
  return row.value
}
