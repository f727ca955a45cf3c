import type { AccountEvent, ApiEvent, Usage } from './api/index.ts'
import type { ClientOptions } from './client-options.ts'
import {
  getAccountEvent,
  getAccountEventPage,
  getEventPage,
  type AccountEventsOptions,
  type EventsOptions,
} from './events.ts'
import type { McpTools } from './mcp.ts'
import { followPages, type Page, type Stream } from './read-page.ts'
import type { RateLimit } from './rate-limit.ts'
import { createRequester, type RequestOptions } from './requester.ts'

export type Client = ReturnType<typeof createClient>

/**
 * Creates a client of the pull API. It waits for rate limits as the service says, retries transient
 * errors, and throws all others as `ClientError`. Errors: `bad_option`.
 */
export function createClient({
  onWarning = (warning) => process.emitWarning(warning, 'FeedClientWarning'),
  ...options
}: ClientOptions) {
  const requester = createRequester(options)
  let usage: Usage | null = null
  let hasWarnedOfAfter = false
  let tools: McpTools | undefined

  return {
    /**
     * Iterates over events with `for await`, from the cursor until there are no more. Without a
     * cursor the first page has the newest events. An event that is read twice has the same id.
     */
    events({ cursor = null, after, ...filter }: EventsOptions = {}): Stream<ApiEvent> {
      // A cursor already marks a position, and the service accepts only one of the two.
      return createStream('An event', cursor, {
        idOf: ({ id }) => id,
        getPage: (next) => eventPage({ ...filter, ...(next === null && { after }), cursor: next }),
      })
    },
    /** One page of events. Store its `cursor` once you have handled the page. */
    eventPage,
    /** The account's own events, newest first. Errors: `not_found` if they are not enabled. */
    accountEvents({
      cursor = null,
      downTo,
      ...filter
    }: AccountEventsOptions = {}): Stream<AccountEvent> {
      return createStream('An account event', cursor, {
        idOf: ({ eventRef }) => eventRef,
        async getPage(next) {
          const page = await accountEventPage({ ...filter, cursor: next })
          const end = page.items.findIndex(({ eventRef }) => eventRef === downTo)
          return end < 0 ? page : { ...page, items: page.items.slice(0, end), hasMore: false }
        },
      })
    },
    accountEventPage,
    /** One of the account's own events. Errors: `not_found`. */
    accountEvent: (eventRef: string, settings: RequestOptions = {}): Promise<AccountEvent> =>
      getAccountEvent(requester, eventRef, settings),
    /** The tools of the service's MCP endpoint; every call returns the same object. */
    async mcp(): Promise<McpTools> {
      const { createMcpTools } = await import('./mcp.ts')
      tools ??= createMcpTools(requester, (latest) => (usage = latest))
      return tools
    },
    /** The account's use of its monthly quota, from the latest page; null before the first. */
    get usage(): Usage | null {
      return usage
    },
    /** The rate limits, from the headers of the latest answers. */
    get rateLimit(): Readonly<RateLimit> {
      return requester.rateLimit
    },
    /** Whether the service has rejected the current key; calls only `apiKey`, not the service. */
    isKeyRejected: requester.isKeyRejected,
    /** The base URL, without a trailing slash. */
    get baseUrl() {
      return requester.baseUrl
    },
    get clock() {
      return requester.clock
    },
  }

  async function eventPage(wanted: EventsOptions = {}): Promise<Page<ApiEvent>> {
    if (wanted.after !== undefined && !hasWarnedOfAfter) {
      hasWarnedOfAfter = true
      onWarning(
        'after is deprecated: it skips events that share a timestamp. Store a cursor instead.',
      )
    }
    return noteUsage(await getEventPage(requester, wanted))
  }

  async function accountEventPage(wanted: AccountEventsOptions = {}): Promise<Page<AccountEvent>> {
    return noteUsage(await getAccountEventPage(requester, wanted))
  }

  function noteUsage<Item>(page: Page<Item>): Page<Item> {
    usage = page.usage ?? usage
    return page
  }

  function createStream<Item>(
    what: string,
    cursor: string | null,
    { idOf, getPage }: StreamOf<Item>,
  ): Stream<Item> {
    const idsOf = ({ items }: Page<Item>) => items.map(idOf)
    const pages = () => followPages(cursor, getPage, { idsOf })
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const { items, unreadable } of pages()) {
          for (const { detail } of unreadable) {
            onWarning(`${what} is skipped because it cannot be read: ${detail}`)
          }
          yield* items
        }
      },
    }
  }
}

interface StreamOf<Item> {
  idOf(item: Item): string
  getPage(cursor: string | null): Promise<Page<Item>>
}
