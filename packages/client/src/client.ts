import type { AccountEvent, ApiEvent, Usage } from '@feed-receiver/core/api'
import type { Clock } from '@feed-receiver/core/node'
import type { AccountEventsOptions } from './account-events.ts'
import type { EventsOptions } from './events.ts'
import type { McpTools } from './mcp.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Page } from './read-page.ts'
import type { RequestOptions } from './requester.ts'
import type { Stream } from './stream.ts'

export interface Client {
  /**
   * Events as `for await` takes them, from the cursor for as long as there is more. Without a cursor
   * the first page is the newest events. What is read twice has the same id.
   */
  events(options?: EventsOptions): Stream<ApiEvent>
  /** One page of events; its `cursor` is for you to keep once the page is dealt with. */
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
