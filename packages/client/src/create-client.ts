import type { AccountEvent, ApiEvent, Usage } from '@feed-receiver/core/api'
import {
  getAccountEvent,
  getAccountEventPage,
  type AccountEventsOptions,
} from './account-events.ts'
import type { Client } from './client.ts'
import type { ClientOptions } from './client-options.ts'
import { getEventPage, type EventsOptions } from './events.ts'
import type { McpTools } from './mcp.ts'
import type { Page } from './read-page.ts'
import { createRequester } from './requester.ts'
import { createStream } from './stream.ts'

/**
 * Makes a client of the pull API, which waits for rate limits as told, tries again what fails
 * for a passing reason, and throws the rest as `ClientError`. Errors: `bad_option`.
 */
export function createClient({
  onWarning = (warning) => process.emitWarning(warning, 'FeedClientWarning'),
  ...options
}: ClientOptions): Client {
  const requester = createRequester(options)
  const { baseUrl, clock, rateLimit, isKeyRefused } = requester
  let usage: Usage | null = null
  let hasWarnedOfAfter = false
  let tools: McpTools | undefined

  return {
    eventPage,
    accountEventPage,
    events: ({ cursor = null, after, ...filter } = {}) =>
      createStream({
        cursor,
        // A cursor says where to go on by itself, and the service takes only one of the two.
        getPage: (next) => eventPage({ ...filter, ...(next === null && { after }), cursor: next }),
        onUnreadable: ({ detail }) =>
          onWarning(`An event could not be read and is left out: ${detail}`),
      }),
    accountEvents: ({ cursor = null, downTo, ...filter } = {}) =>
      createStream({
        cursor,
        getPage: (next) => accountEventPage({ ...filter, cursor: next }),
        isEnd: ({ eventRef }) => eventRef === downTo,
        onUnreadable: ({ detail }) =>
          onWarning(`An account event could not be read and is left out: ${detail}`),
      }),
    accountEvent: (eventRef, settings = {}) => getAccountEvent(requester, eventRef, settings),
    async mcp() {
      const { createMcpTools } = await import('./mcp.ts')
      tools ??= createMcpTools(requester, (latest) => (usage = latest))
      return tools
    },
    get usage() {
      return usage
    },
    rateLimit,
    isKeyRefused,
    baseUrl,
    clock,
  }

  async function eventPage(wanted: EventsOptions = {}): Promise<Page<ApiEvent>> {
    if (wanted.after !== undefined && !hasWarnedOfAfter) {
      hasWarnedOfAfter = true
      onWarning('after is deprecated, and can skip events that share a timestamp. Keep a cursor.')
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
