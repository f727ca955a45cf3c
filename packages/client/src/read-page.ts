import { usageSchema, type Usage } from '@feed-receiver/core/api'
import { ClientError } from './errors.ts'

/** One page, oldest or newest first as its endpoint has it. */
export interface Page<Item> {
  items: Item[]
  /** What stood among the items and is none that this version can read. */
  unreadable: UnreadableItem[]
  /** Where to go on: the page's own, or the one it was asked with where it has none (R121). */
  cursor: string | null
  hasMore: boolean
  /** Null where the page says nothing usable about it. */
  usage: Usage | null
}

export interface UnreadableItem {
  /** As it came; third-party text, so not for a log. */
  value: unknown
  /** Why, naming members and quoting nothing. */
  detail: string
}

/** Tells items of one kind, and says of others why they are none. */
export interface ItemKind<Item> {
  read(value: unknown): { item: Item } | { detail: string }
}

/**
 * Reads a page, whose items stand or fall one by one: a single bad one does not hold up the feed.
 * Errors: `bad_page` where it cannot be told how to go on.
 */
export function readPage<Item>(
  body: unknown,
  kind: ItemKind<Item>,
  sentCursor: string | null,
): Page<Item> {
  if (!isPage(body)) {
    throw new ClientError(
      'bad_page',
      'The service sent a page without data, nextCursor or hasMore. Is baseUrl the right address? ' +
        'If it is, tell the service.',
      { status: 200, answer: body },
    )
  }
  const { data, nextCursor, hasMore } = body
  const { data: usage = null } = usageSchema.safeParse(body.usage)
  const items: Item[] = []
  const unreadable: UnreadableItem[] = []
  for (const value of data) {
    const read = kind.read(value)
    if ('item' in read) items.push(read.item)
    else unreadable.push({ value, detail: read.detail })
  }
  return { items, unreadable, cursor: nextCursor ?? sentCursor, hasMore, usage }
}

/**
 * Throws `bad_page` where a page promises more but does not lead on: to ask again would go round in
 * a circle for ever (R120).
 */
export function checkLeadsOn({ hasMore, cursor }: Page<unknown>, sentCursor: string | null): void {
  if (!hasMore || cursor !== sentCursor) return
  throw new ClientError(
    'bad_page',
    'The service says that there is more, and gives no cursor that leads there. Nothing is lost: ' +
      'the cursor is where it was. Try again later, and tell the service if it stays so.',
    { status: 200 },
  )
}

interface RawPage {
  data: unknown[]
  nextCursor: string | null
  hasMore: boolean
  usage?: unknown
}

function isPage(body: unknown): body is RawPage {
  return (
    typeof body === 'object' &&
    body !== null &&
    'data' in body &&
    Array.isArray(body.data) &&
    'nextCursor' in body &&
    (body.nextCursor === null || typeof body.nextCursor === 'string') &&
    'hasMore' in body &&
    typeof body.hasMore === 'boolean'
  )
}
