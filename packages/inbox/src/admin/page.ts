import type { Queryable } from '@feed-receiver/database'
import { checkOption } from '../errors.ts'

export interface PageOptions {
  /** The `next` of the previous page. */
  after?: number | undefined
  /**
   * The maximum number of rows on a page, up to 500.
   * @default 50
   */
  limit?: number
}

export interface Page {
  /** Pass it as `after` to get the next page; null on the last page. */
  next: number | null
}

/** A page with its rows under a name. */
export type PageOf<Name extends string, Row> = Page & Record<Name, Row[]>

const maxPageSize = 500

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
