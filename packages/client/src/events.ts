import { apiEventSchema, type ApiEvent } from '@feed-receiver/core/api'
import { checkLimit, toQuery } from './query.ts'
import { readerOf, readPage, type Page } from './read-page.ts'
import type { Requester, RequestOptions } from './requester.ts'

export interface EventFilter {
  /** The exact slug of a provider. */
  provider?: string | undefined
  /** An exact event type, or `outage` for all that belongs to outages. */
  type?: string | undefined
  /**
   * `all` brings early signals as well, which may never be confirmed.
   * @default 'confirmed', as the service has it
   */
  confirmation?: 'confirmed' | 'all' | undefined
}

export interface EventsOptions extends EventFilter, RequestOptions {
  /**
   * Where an earlier page said to go on. Without, the newest events come first; with it, the oldest
   * that are behind it.
   */
  cursor?: string | null | undefined
  /**
   * How many events a page may have, up to 200.
   * @default 50
   */
  limit?: number | undefined
  /**
   * @deprecated Events that share a timestamp can be skipped; keep a cursor instead.
   */
  after?: Date | string | undefined
}

export const readEvent = readerOf<ApiEvent>(apiEventSchema)

/** Gets one page of `/v1/events`. */
export async function getEventPage(
  requester: Requester,
  { provider, type, confirmation, cursor = null, limit = 50, after, ...options }: EventsOptions,
): Promise<Page<ApiEvent>> {
  checkLimit(limit, 200)
  const afterTime = after instanceof Date ? after.toISOString() : after
  const query = toQuery({ limit, cursor, provider, type, confirmation, after: afterTime })
  return readPage(await requester.get('/v1/events', query, options), readEvent, cursor)
}
