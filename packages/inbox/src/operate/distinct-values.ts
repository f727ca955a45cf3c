/**
 * A recursive part of a query, `found (value)`: what a column holds for the source `$1` where a
 * condition holds, in order, and null at the end. It goes from one value to the next by an index, since
 * there are few of them however many entries there are.
 */
export function distinctValuesSql(table: string, column: string, condition: string): string {
  return `found as (
      (select ${column} as value from ${table}
       where source = $1 and ${column} is not null and ${condition} order by ${column} limit 1)
      union all
      select (select ${column} from ${table}
              where source = $1 and ${column} > found.value and ${condition}
              order by ${column} limit 1)
      from found where found.value is not null
    )`
}
