import type { z } from 'zod'
import { usageSchema, type Usage } from './api/index.ts'
import { memberOf } from './causes.ts'
import { ClientError } from './errors.ts'
import { createProgress, findCycle, maxIdlePages, type Progress } from './progress.ts'

/** One page, oldest or newest first, depending on the endpoint. */
export interface Page<Item> extends Continuation {
  items: Item[]
  /** Items that this version cannot read. */
  unreadable: UnreadableItem[]
  /** Null if the page has no usable numbers. */
  usage: Usage | null
}

/** How to continue after a page. */
interface Continuation {
  /** Where to continue: the page's own cursor, or the requested one if the page has none. */
  cursor: string | null
  hasMore: boolean
}

export interface UnreadableItem {
  /** The item as received; third-party text, so not for a log. */
  value: unknown
  /** Why it cannot be read; names members and quotes nothing. */
  detail: string
}

/** Reads an item of one kind, or says why it cannot. */
export type ReadItem<Item> = (value: unknown) => { item: Item } | { detail: string }

/** Reads items by a schema, and returns the originals instead of the schema's copies. */
export function readerOf<Item>(schema: z.ZodType<Item>): ReadItem<Item> {
  return (value) => {
    const { error } = schema.safeParse(value)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has accepted it
    if (!error) return { item: value as Item }
    const issues = error.issues.slice(0, 5)
    return { detail: issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') }
  }
}

/**
 * Reads a page item by item, so that a single bad item does not block the feed. Errors: `bad_page`
 * if the page does not say how to continue.
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
    !(cursor === null || isCursor(cursor)) ||
    typeof hasMore !== 'boolean'
  ) {
    throw new ClientError(
      'bad_page',
      'The service sent a page without data, hasMore or a usable nextCursor. Check baseUrl; if it ' +
        'is right, report this to the service.',
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

/** Longer ones do not fit into the URL of a request. */
const longestCursor = 4_096

/** Whether a text can be stored and sent again as a cursor, which is otherwise opaque. */
function isCursor(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > longestCursor) return false
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value)
}

interface FollowOptions<Found> {
  /** Whether to fetch and prepare the next page while you handle the current one. */
  isAhead?: boolean
  /** The ids of the events of a page. */
  idsOf(page: Found): string[]
  /**
   * Finds out whether the pages advance. Pass the same one again to treat several reads as one.
   * @default a new one
   */
  progress?: Progress
}

/**
 * Follows the cursors until there are no more pages, in the order of the endpoint. Errors:
 * `bad_page` if the pages promise more but lead nowhere, because asking on would never end.
 */
export async function* followPages<Found extends Continuation>(
  first: string | null,
  getPage: (cursor: string | null) => Promise<Found>,
  { isAhead = false, idsOf, progress = createProgress() }: FollowOptions<Found>,
): AsyncGenerator<Found> {
  const isCycle = findCycle(first)
  let fetching: Promise<Found> | undefined
  for (let cursor = first; ;) {
    const page = await (fetching ?? getPage(cursor))
    const leadsOn = page.hasMore && page.cursor !== cursor && !isCycle(page.cursor)
    fetching = isAhead && leadsOn ? getPage(page.cursor) : undefined
    // If handling this page fails, nobody awaits the next one.
    fetching?.catch(() => {})
    yield page
    if (!page.hasMore) return progress.end()
    if (!leadsOn) throw leadsNowhere('with a cursor that this read has already followed')
    if (progress.isStuck(idsOf(page))) {
      throw leadsNowhere(`on ${maxIdlePages} pages in a row without a new event`)
    }
    cursor = page.cursor
  }
}

function leadsNowhere(how: string): ClientError {
  return new ClientError(
    'bad_page',
    `The service sent hasMore ${how}. Continue later from the cursor of the last page, and report ` +
      'it to the service if it persists.',
    { status: 200 },
  )
}

/** The items of all pages, one after the other; `pages()` returns them page by page. */
export interface Stream<Item> extends AsyncIterable<Item> {
  pages(): AsyncIterable<Page<Item>>
}

interface StreamOptions<Item> {
  /** Names an item in warnings, such as `An event`. */
  what: string
  cursor: string | null
  idOf(item: Item): string
  getPage(cursor: string | null): Promise<Page<Item>>
  warn(text: string): void
}

/** Creates the stream of a list. Its items leave out those that cannot be read, with a warning. */
export function createStream<Item>(options: StreamOptions<Item>): Stream<Item> {
  const { what, cursor, idOf, getPage, warn } = options
  const idsOf = ({ items }: Page<Item>) => items.map(idOf)
  const pages = () => followPages(cursor, getPage, { idsOf })
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items, unreadable } of pages()) {
        for (const { detail } of unreadable) {
          warn(`${what} is skipped because it cannot be read: ${detail}`)
        }
        yield* items
      }
    },
  }
}
