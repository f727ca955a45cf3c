import { hasEndedSql, isPendingSql } from '../entry/entry-filter.ts'
import { newestFirstSql } from '../entry/sql.ts'
import type { InboxContext } from '../context.ts'

/** The values to filter entries by, up to 100 of each, in order. */
export interface Facets {
  providers: string[]
  types: string[]
  categories: string[]
}

const maxValues = 100
/** How many pending entries are read, newest first. */
const openEntries = 10_000

export async function findFacets(context: InboxContext): Promise<Facets> {
  const [providers, types, categories] = await Promise.all([
    findValues(context, 'provider'),
    findValues(context, 'type'),
    findValues(context, 'category'),
  ])
  return { providers, types, categories }
}

async function findValues(
  { database, tables, source }: InboxContext,
  column: 'provider' | 'type' | 'category',
): Promise<string[]> {
  const { rows } = await database.query<{ value: string }>(
    `with recursive found as (${distinctValuesSql('found', tables.entry, column, hasEndedSql)}),
     open as (
       select ${column} as value from ${tables.entry} where source = $1 and ${isPendingSql}
       ${newestFirstSql} limit ${openEntries}
     )
     (select value from found where value is not null limit ${maxValues})
     union
     select value from open
     order by value limit ${maxValues}`,
    [source],
  )
  return rows.map(({ value }) => value)
}

/**
 * A query for `with recursive`, where `name` is its own name: the distinct values of a column under
 * a condition, for the source `$1`, as `value`, in order, with null at the end. It looks up one
 * value after the other in an index, because a few values occur in many entries.
 */
export function distinctValuesSql(
  name: string,
  table: string,
  column: string,
  condition: string,
): string {
  return `(select ${column} as value from ${table}
       where source = $1 and ${column} is not null and ${condition} order by ${column} limit 1)
      union all
      select (select ${column} from ${table}
              where source = $1 and ${column} > ${name}.value and ${condition}
              order by ${column} limit 1)
      from ${name} where ${name}.value is not null`
}
