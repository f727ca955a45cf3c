import type { AccountEvent, ApiEvent, Usage } from '@feed-receiver/core/api'
import { systemClock, type Clock } from '@feed-receiver/core/node'
import {
  getAccountEvent,
  getAccountEventPage,
  type AccountEventsOptions,
} from './account-events.ts'
import type { ApiKey } from './api-key.ts'
import { ClientError } from './errors.ts'
import { getEventPage, type EventsOptions } from './events.ts'
import type { McpTools } from './mcp.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Page } from './read-page.ts'
import { createRequester, type RequestOptions } from './requester.ts'
import { createStream, type Stream } from './stream.ts'

export interface ClientOptions {
  /** The address of the service, without `/v1`. */
  baseUrl: string | URL
  /** The API key; as a function it is asked for each request, so that it may change meanwhile. */
  apiKey: ApiKey | undefined
  /**
   * Makes the requests.
   * @default globalThis.fetch
   */
  fetch?: typeof globalThis.fetch | undefined
  /** Breaks off all requests of this client, and their waits. */
  signal?: AbortSignal | undefined
  /**
   * Decides how long waits are; a virtual one makes tests quick.
   * @default systemClock
   */
  clock?: Clock | undefined
  /**
   * How often a request is made that fails for a passing reason; waits for rate limits do not count.
   * @default 6
   */
  maxAttempts?: number | undefined
  /**
   * How long one answer may take, its last byte included, in milliseconds of real time.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * Spreads the backoff: called for a number from 0 to 1.
   * @default Math.random
   */
  random?: (() => number) | undefined
  /**
   * Told of what is out of the ordinary and no reason to stop.
   * @default process.emitWarning
   */
  onWarning?: ((warning: string) => void) | undefined
}

export interface Client {
  /**
   * Events as `for await` takes them, from the cursor for as long as there is more. Without a cursor
   * the first page is the newest events. What is read twice has the same id (R14).
   */
  events(options?: EventsOptions): Stream<ApiEvent>
  /** One page of events; its `cursor` is for you to keep once the page is dealt with (R116). */
  eventPage(options?: EventsOptions): Promise<Page<ApiEvent>>
  /** The account's own events, newest first. Errors: `not_found` where they are not enabled. */
  accountEvents(options?: AccountEventsOptions): Stream<AccountEvent>
  accountEventPage(options?: AccountEventsOptions): Promise<Page<AccountEvent>>
  /** One of the account's own events. Errors: `not_found`. */
  accountEvent(eventRef: string, options?: RequestOptions): Promise<AccountEvent>
  /** The tools of the service's MCP endpoint; the same each time. */
  mcp(): Promise<McpTools>
  /** What the account has used of its month, by the latest page; null before the first. */
  readonly usage: Usage | null
  /** What the latest answers said about the limits. */
  readonly rateLimit: Readonly<RateLimit>
  /** Whether the key in use is one that the service has refused; asks only `apiKey`. */
  isKeyRefused(): Promise<boolean>
  /** The address, without a slash at its end. */
  readonly baseUrl: string
  readonly clock: Clock
}

/**
 * Makes a client of the pull API, which waits for rate limits as told (R222), tries again what fails
 * for a passing reason (R223), and throws the rest as `ClientError`. Errors: `bad_option`.
 */
export function createClient({
  baseUrl,
  apiKey,
  fetch = globalThis.fetch,
  signal,
  clock = systemClock,
  maxAttempts = 6,
  timeoutMs = 30_000,
  random = Math.random,
  onWarning = (warning) => process.emitWarning(warning, 'FeedClientWarning'),
}: ClientOptions): Client {
  const base = checkBaseUrl(baseUrl)
  checkNumber('maxAttempts', maxAttempts)
  checkNumber('timeoutMs', timeoutMs)
  const requester = createRequester({
    baseUrl: base,
    apiKey,
    fetch,
    clock,
    random,
    maxAttempts,
    timeoutMs,
    signal,
  })
  let usage: Usage | null = null
  let hasWarnedOfAfter = false
  let tools: McpTools | undefined

  return {
    eventPage,
    accountEventPage,
    events: ({ cursor = null, ...options } = {}) =>
      createStream({
        cursor,
        getPage: (next) => {
          // A cursor says where to go on by itself, and the service takes only one of the two.
          const { after, ...rest } = options
          return eventPage({ ...rest, ...(next === null && { after }), cursor: next })
        },
        onUnreadable: ({ detail }) =>
          onWarning(`An event could not be read and is left out: ${detail}`),
      }),
    accountEvents: ({ cursor = null, downTo, ...options } = {}) =>
      createStream({
        cursor,
        getPage: (next) => accountEventPage({ ...options, cursor: next }),
        isEnd: ({ eventRef }) => eventRef === downTo,
        onUnreadable: ({ detail }) =>
          onWarning(`An account event could not be read and is left out: ${detail}`),
      }),
    accountEvent: (eventRef, options = {}) => getAccountEvent(requester, eventRef, options),
    async mcp() {
      const { createMcpTools } = await import('./mcp.ts')
      const url = new URL(`${base.pathname.replace(/\/+$/, '')}/mcp`, base)
      tools ??= createMcpTools({ requester, url, noteUsage: (latest) => (usage = latest) })
      return tools
    },
    get usage() {
      return usage
    },
    rateLimit: requester.rateLimit,
    isKeyRefused: requester.isKeyRefused,
    baseUrl: base.href.replace(/\/+$/, ''),
    clock,
  }

  async function eventPage(options: EventsOptions = {}): Promise<Page<ApiEvent>> {
    if (options.after !== undefined && !hasWarnedOfAfter) {
      hasWarnedOfAfter = true
      onWarning('after is deprecated, and can skip events that share a timestamp. Keep a cursor.')
    }
    return noteUsage(await getEventPage(requester, options))
  }

  async function accountEventPage(options: AccountEventsOptions = {}): Promise<Page<AccountEvent>> {
    return noteUsage(await getAccountEventPage(requester, options))
  }

  function noteUsage<Item>(page: Page<Item>): Page<Item> {
    usage = page.usage ?? usage
    return page
  }
}

function checkBaseUrl(baseUrl: string | URL): URL {
  const text = String(baseUrl)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === ''
  if (url && isPlain && /^https?:$/.test(url.protocol)) return url
  throw new ClientError(
    'bad_option',
    'baseUrl: use the http or https address of the service, without credentials and query.',
  )
}

function checkNumber(name: string, value: number): void {
  // A timer cannot hold more.
  if (value >= 1 && value < 2 ** 31) return
  throw new ClientError('bad_option', `${name} must be from 1 to 2 ** 31, not ${value}.`)
}
