import { usageSchema, type Usage } from '@feed-receiver/core/api'
import { ClientError } from './errors.ts'

/** One page, oldest or newest first as its endpoint has it. */
export interface Page<Item> extends Lead {
  items: Item[]
  /** What stood among the items and is none that this version can read. */
  unreadable: UnreadableItem[]
  /** Null where the page says nothing usable about it. */
  usage: Usage | null
}

/** Where a page leads. */
interface Lead {
  /** Where to go on: the page's own, or the one it was asked with where it has none. */
  cursor: string | null
  hasMore: boolean
}

export interface UnreadableItem {
  /** As it came; third-party text, so not for a log. */
  value: unknown
  /** Why, naming members and quoting nothing. */
  detail: string
}

/** Reads an item of one kind, or says why it is none. */
export type ReadItem<Item> = (value: unknown) => { item: Item } | { detail: string }

interface Schema {
  safeParse(value: unknown): {
    success: boolean
    error?: { issues: { path: PropertyKey[]; message: string }[] } | undefined
  }
}

/** Reads items by a schema, and keeps them as they came instead of as the schema's copies. */
export function readerOf<Item>(schema: Schema): ReadItem<Item> {
  return (value) => {
    const { success, error } = schema.safeParse(value)
    if (isItem(value, success)) return { item: value }
    const issues = error?.issues.slice(0, 5) ?? []
    return { detail: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') }
  }

  function isItem(_value: unknown, success: boolean): _value is Item {
    return success
  }
}

/**
 * Reads a page, whose items stand or fall one by one: a single bad one does not hold up the feed.
 * Errors: `bad_page` where it cannot be told how to go on.
 */
export function readPage<Item>(
  body: unknown,
  readItem: ReadItem<Item>,
  sentCursor: string | null,
): Page<Item> {
  const [data, nextCursor, hasMore] = ['data', 'nextCursor', 'hasMore'].map((name) =>
    memberOf(body, name),
  )
  const cursor = nextCursor ?? sentCursor
  if (
    !Array.isArray(data) ||
    nextCursor === undefined ||
    !(cursor === null || typeof cursor === 'string') ||
    typeof hasMore !== 'boolean'
  ) {
    throw new ClientError(
      'bad_page',
      'The service sent a page without data, nextCursor or hasMore. Is baseUrl the right address? ' +
        'If it is, tell the service.',
      { status: 200, answer: body },
    )
  }
  const { data: usage = null } = usageSchema.safeParse(memberOf(body, 'usage'))
  const page: Page<Item> = { items: [], unreadable: [], cursor, hasMore, usage }
  const values: unknown[] = data
  for (const value of values) {
    const read = readItem(value)
    if ('item' in read) page.items.push(read.item)
    else page.unreadable.push({ value, detail: read.detail })
  }
  return page
}

/**
 * Follows the cursors for as long as there is more, in whatever order the items come. With `isAhead`
 * the next page is fetched and made ready while one is dealt with. Errors: `bad_page` where a page
 * promises more but does not lead on: to ask again would go round in a circle for ever.
 */
export async function* followPages<Found extends Lead>(
  first: string | null,
  getPage: (cursor: string | null) => Promise<Found>,
  isAhead = false,
): AsyncGenerator<Found> {
  let fetching: Promise<Found> | undefined
  for (let cursor = first; ;) {
    const page = await (fetching ?? getPage(cursor))
    const leadsOn = page.hasMore && page.cursor !== cursor
    fetching = isAhead && leadsOn ? getPage(page.cursor) : undefined
    // Where dealing with this page fails, nobody waits for the next one.
    fetching?.catch(() => {})
    yield page
    if (!page.hasMore) return
    if (!leadsOn) {
      throw new ClientError(
        'bad_page',
        'The service says that there is more, and gives no cursor that leads there. Nothing is ' +
          'lost: the cursor is where it was. Try again later, and tell the service if it stays so.',
        { status: 200 },
      )
    }
    cursor = page.cursor
  }
}

/** The items of all pages, one after the other; `pages()` gives them page by page. */
export interface Stream<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item>>
}

/** One member of what may be an object; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
