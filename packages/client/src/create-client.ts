import type { Clock } from '@feed-receiver/core/node'
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
import { createStream, type Page, type Stream } from './read-page.ts'
import type { RateLimit } from './rate-limit.ts'
import { createRequester, type RequestOptions } from './requester.ts'

/** Reads the pull API of one account. A rate limit applies to all its requests together. */
export interface Client {
  /**
   * Iterates over events with `for await`, from the cursor until there are no more. Without a
   * cursor the first page has the newest events. An event that is read twice has the same id.
   */
  events(options?: EventsOptions): Stream<ApiEvent>
  /** Gets one page of events. Store its `cursor` once you have handled the page. */
  eventPage(options?: EventsOptions): Promise<Page<ApiEvent>>
  /** The account's own events, newest first. Errors: `not_found` if they are not enabled. */
  accountEvents(options?: AccountEventsOptions): Stream<AccountEvent>
  /** Gets one page of them. Its `cursor` leads to older ones. */
  accountEventPage(options?: AccountEventsOptions): Promise<Page<AccountEvent>>
  /** Gets one of the account's own events. Errors: `not_found`. */
  accountEvent(eventRef: string, options?: RequestOptions): Promise<AccountEvent>
  /** The tools of the service's MCP endpoint; every call returns the same object. */
  mcp(): Promise<McpTools>
  /** Whether the service has rejected the current key; calls only `apiKey`, not the service. */
  isKeyRejected: () => Promise<boolean>
  /** The account's use of its monthly quota, from the latest page; null before the first. */
  readonly usage: Usage | null
  /** The rate limits, from the headers of the latest answers. */
  readonly rateLimit: Readonly<RateLimit>
  /** The base URL, without a trailing slash. */
  readonly baseUrl: string
  /** The clock that measures the waits. */
  readonly clock: Clock
}

/**
 * Creates a client of the pull API. It waits for rate limits as the service says, retries transient
 * errors, and throws all others as `ClientError`. Errors: `bad_option`.
 */
export function createClient({
  onWarning: warn = (warning) => process.emitWarning(warning, 'FeedClientWarning'),
  ...options
}: ClientOptions): Client {
  const requester = createRequester(options)
  const { isKeyRejected, rateLimit, baseUrl, clock } = requester
  let usage: Usage | null = null
  let hasWarnedOfAfter = false
  let tools: McpTools | undefined

  return {
    events({ cursor = null, after, ...filter } = {}) {
      return createStream({
        what: 'An event',
        cursor,
        idOf: ({ id }) => id,
        // A cursor already marks a position, and the service accepts only one of the two.
        getPage: (next) => eventPage({ ...filter, ...(next === null && { after }), cursor: next }),
        warn,
      })
    },
    eventPage,
    accountEvents({ cursor = null, downTo, ...filter } = {}) {
      return createStream({
        what: 'An account event',
        cursor,
        idOf: ({ eventRef }) => eventRef,
        async getPage(next) {
          const page = await accountEventPage({ ...filter, cursor: next })
          const end = page.items.findIndex(({ eventRef }) => eventRef === downTo)
          return end < 0 ? page : { ...page, items: page.items.slice(0, end), hasMore: false }
        },
        warn,
      })
    },
    accountEventPage,
    accountEvent: (eventRef, settings = {}) => getAccountEvent(requester, eventRef, settings),
    async mcp() {
      const { createMcpTools } = await import('./mcp.ts')
      tools ??= createMcpTools(requester, { noteUsage: (latest) => (usage = latest), warn })
      return tools
    },
    isKeyRejected,
    get usage() {
      return usage
    },
    rateLimit,
    baseUrl,
    clock,
  }

  async function eventPage(wanted: EventsOptions = {}): Promise<Page<ApiEvent>> {
    if (wanted.after !== undefined && !hasWarnedOfAfter) {
      hasWarnedOfAfter = true
      warn('after is deprecated: it skips events that share a timestamp. Store a cursor instead.')
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
}
