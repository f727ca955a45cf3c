import type { Queryable } from '@feed-receiver/database'
import { checkOption } from '../errors.ts'
import { isBehindSql } from './sql.ts'

export interface PageOptions {
  /** Where the page before ended: its `next`. */
  after?: number | undefined
  /**
   * How many rows a page may have, up to 500.
   * @default 50
   */
  limit?: number
}

export interface Page {
  /** For `after`, to get the page that follows; null at the end. */
  next: number | null
}

/** A page with its rows under a name. */
export type PageOf<Name extends string, Row> = Page & Record<Name, Row[]>

/** Asks for rows in the order of a time, not of ids: lists of several inboxes share only that. */
export interface ByTime {
  /** Where to go on, where the page before ended in another inbox; to the microsecond. */
  behind?: { at: string; isIncluded: boolean } | undefined
}

const maxPageSize = 500

/** Checks how many rows a page may have. */
export function checkPageSize(limit: number): void {
  const isFine = Number.isInteger(limit) && limit >= 1 && limit <= maxPageSize
  checkOption(isFine, `limit: use a whole number from 1 to ${maxPageSize}.`)
}

/** Reads one page by a query without a limit; one row more says whether another page follows. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the query has it
export async function readPage<Row extends { id: number }>(
  db: Queryable,
  limit: number,
  text: string,
  values: readonly unknown[],
): Promise<Page & { rows: Row[] }> {
  checkPageSize(limit)
  const found = await db.query<Row>(`${text} limit ${limit + 1}`, values)
  const rows = found.rows.slice(0, limit)
  return { rows, next: found.rows.length > limit ? (rows.at(-1)?.id ?? null) : null }
}

/** Where a page begins, as conditions and the values of their parameters. */
export interface PageBegin {
  conditions: string[]
  values: unknown[]
}

/** The same, for a query whose next parameter has this number. */
export type BeginAt = (parameter: number) => PageBegin

/**
 * Where a page begins that is in the order of a column, the latest first: behind a row of this table,
 * or behind a time. Without either, there is no condition and no value.
 */
export function pageBegin(
  table: string,
  column: string,
  parameter: number,
  after: number | undefined,
  byTime: ByTime = {},
): PageBegin {
  const { behind } = byTime
  if (behind) {
    const way = behind.isIncluded ? '<=' : '<'
    return { conditions: [`${column} ${way} $${parameter}::timestamptz`], values: [behind.at] }
  }
  if (after === undefined) return { conditions: [], values: [] }
  if (column === 'id') return { conditions: [`id < $${parameter}`], values: [after] }
  return { conditions: [isBehindSql(table, column, '<', `$${parameter}`)], values: [after] }
}
