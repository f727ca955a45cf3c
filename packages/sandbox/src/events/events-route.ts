import type { Context } from '../context.ts'
import { readCursor, writeCursor, type CursorScope } from '../cursors/cursor.ts'
import { usageOf, type Caller } from '../limits/caller.ts'
import type { ApiRoute } from '../server/api-routes.ts'
import { parseQuery } from '../server/parse-query.ts'
import { Refusal } from '../server/refusals.ts'
import { eventQuery, type EventQuery } from './event-query.ts'
import { listEvents, type EventPage, type PageStart } from './list-events.ts'

/** GET /v1/events: the newest first without a cursor, and with one the oldest first (R96–R113). */
export function eventsRoute(context: Context): ApiRoute {
  return {
    path: '/events',
    surface: 'events',
    async answer(caller, request, reply) {
      const query = parseQuery(eventQuery, request.query)
      if (query.after !== undefined) void reply.headers(deprecationOfAfter(context))
      const page = await readEventPage(context, caller, query)
      return (
        `{"data":[${page.data}],"nextCursor":${JSON.stringify(page.nextCursor)},` +
        `"hasMore":${page.hasMore},"usage":${JSON.stringify(usageOf(caller))}}`
      )
    },
  }
}

export interface AnsweredPage {
  data: string
  nextCursor: string
  hasMore: boolean
}

/** One page as every route answers it. @throws Refusal `bad_cursor` */
export async function readEventPage(
  { database, cursorKey, behaviour }: Pick<Context, 'database' | 'cursorKey' | 'behaviour'>,
  { accountId }: Pick<Caller, 'accountId'>,
  query: EventQuery,
): Promise<AnsweredPage> {
  const { provider, type, confirmation } = query
  const filters = [provider, type, confirmation]
  const scope: CursorScope = { stream: 'events', accountId, filters }
  const start = startOf(query, (cursor) => readCursor(cursorKey, scope, cursor))
  const page = await listEvents(database, query, start, query.limit)
  const next = continueFrom(page, start, behaviour.firstCursor)
  return {
    data: page.data,
    hasMore: next.hasMore,
    nextCursor: writeCursor(cursorKey, scope, next.position),
  }
}

export function startOf(
  { cursor, after }: Pick<EventQuery, 'cursor' | 'after'>,
  read: (cursor: string) => number | undefined,
): PageStart {
  if (after !== undefined) return { from: 'time', after }
  if (cursor === undefined) return { from: 'newest' }
  const position = read(cursor)
  if (position === undefined) throw new Refusal('bad_cursor')
  return { from: 'position', after: position }
}

/**
 * Where the next page begins. A page that is the last for now leads to the end of the whole feed, so
 * that a rare filter does not look through the same events again; never to nowhere (R113).
 */
export function continueFrom(
  { hasMore, lastPosition, tail, count }: EventPage,
  start: PageStart,
  firstCursor: Context['behaviour']['firstCursor'],
): { position: number; hasMore: boolean } {
  if (start.from === 'newest' && firstCursor === 'replay')
    return { position: 0, hasMore: count > 0 }
  // What a first page leaves out is older, and no cursor leads back to it.
  if (start.from === 'newest') return { position: tail, hasMore: false }
  return { position: hasMore ? lastPosition : tail, hasMore }
}

// The day on which the contract of the account events, which has cursors alone, came into force.
const deprecatedSince = Date.UTC(2026, 7, 20) / 1000

function deprecationOfAfter({ baseUrl }: Context): Record<string, string> {
  return {
    Deprecation: `@${deprecatedSince}`,
    Link: `<${baseUrl()}/developers#after>; rel="deprecation"; type="text/html"`,
  }
}
