interface ReadPage<Row> {
  rows: Row[]
  /** The id of the last row; null if there is none behind it. */
  next: number | null
}

/** The newest rows, which each poll reads; as many older ones; and what the user asks for. */
const pageSize = 100
const olderSize = 500

/**
 * A list of the server, newest first, of which the page knows the first rows. Each poll reads the
 * newest ones and continues a round through the others: those change too, and more than one page of
 * rows may have arrived while the tab was hidden.
 */
export function createPagedList<Row extends { id: number }>(
  read: (limit: number, after?: number) => Promise<ReadPage<Row>>,
) {
  const rows = new Map<number, Row>()
  const list = { rows, version: 0, poll, loadOlder }
  /** The last known row; null if it is the last of all, undefined before the first poll. */
  let end: number | null | undefined
  /** Where the round continues; null if it is over. */
  let next: number | null = null
  return list

  /** Resolves to the newest rows. */
  async function poll(): Promise<Row[]> {
    const newest = await take(pageSize)
    if (end === undefined) {
      end = newest.next
      return newest.rows
    }
    const after = next ?? newest.next
    if (after !== null) ({ next } = await take(pageSize, after))
    return newest.rows
  }

  /** Resolves to whether there was anything older. */
  async function loadOlder(): Promise<boolean> {
    if (typeof end !== 'number') return false
    const older = await take(olderSize, end)
    end = older.next
    return older.rows.length > 0
  }

  /** Reads a page, up to the last known row. */
  async function take(limit: number, after?: number): Promise<ReadPage<Row>> {
    const page = await read(limit, after)
    const last = page.rows.findIndex(({ id }) => id === end)
    const taken = last < 0 ? page : { rows: page.rows.slice(0, last + 1), next: null }
    for (const row of taken.rows) {
      if (JSON.stringify(rows.get(row.id)) === JSON.stringify(row)) continue
      rows.set(row.id, row)
      list.version += 1
    }
    return taken
  }
}
