import type { Queryable } from '@feed-receiver/database'
import { distinctValuesSql } from './distinct-values.ts'
import { hasEnded, isOpen } from '../entry/entry-filter.ts'

/** The values by which entries can be filtered, up to 100 of each, in order. */
export interface Facets {
  providers: string[]
  types: string[]
  categories: string[]
}

const maxValues = 100
/** How many of the entries that wait are looked at, the newest first. */
const openEntries = 10_000

/** Finds what there is to filter by. */
export async function findFacets(db: Queryable, table: string, source: string): Promise<Facets> {
  const [providers, types, categories] = await Promise.all(
    (['provider', 'type', 'category'] as const).map((column) =>
      findValues(db, table, source, column),
    ),
  )
  return { providers: providers ?? [], types: types ?? [], categories: categories ?? [] }
}

async function findValues(
  db: Queryable,
  table: string,
  source: string,
  column: 'provider' | 'type' | 'category',
): Promise<string[]> {
  const { rows } = await db.query<{ value: string }>(
    `with recursive ${distinctValuesSql(table, column, hasEnded)},
     open as (
       select ${column} as value from ${table} where source = $1 and ${isOpen}
       order by received_at desc, id desc limit ${openEntries}
     )
     (select value from found where value is not null limit ${maxValues})
     union
     select value from open
     order by value limit ${maxValues}`,
    [source],
  )
  return rows.map(({ value }) => value)
}
