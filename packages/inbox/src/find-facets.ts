import type { Queryable } from '@feed-receiver/database'

/** The values by which entries can be filtered, up to 100 of each, in order. */
export interface Facets {
  providers: string[]
  types: string[]
  categories: string[]
}

const maxValues = 100

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
  // From one value to the next by its index: there are few, however many entries there are.
  const { rows } = await db.query<{ value: string }>(
    `with recursive found as (
       (select ${column} as value from ${table} where source = $1 order by ${column} limit 1)
       union all
       select (select entry.${column} from ${table} entry
               where entry.source = $1 and entry.${column} > found.value
               order by entry.${column} limit 1)
       from found where found.value is not null
     )
     select value from found where value is not null limit ${maxValues}`,
    [source],
  )
  return rows.map(({ value }) => value)
}
