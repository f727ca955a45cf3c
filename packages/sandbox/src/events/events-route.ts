import { withFaults } from '../faults/with-faults.ts'
import type { Context } from '../server/context.ts'
import { readCursor, writeCursor, type CursorScope } from '../state/cursor.ts'
import { usageOf, type Caller } from '../server/caller.ts'
import type { ApiRoute } from '../server/api-routes.ts'
import { parseInput } from '../server/parse-input.ts'
import { Refusal } from '../server/refusals.ts'
import { eventQuery, type EventQuery } from './event-query.ts'
import { listEvents, type EventFilter, type EventPage, type PageStart } from './list-events.ts'

/** GET /v1/events: the newest first without a cursor, and with one the oldest first (R96–R113). */
export function eventsRoute(context: Context): ApiRoute {
  return {
    path: '/events',
    answer: withFaults(context, 'events', async (caller, request, reply) => {
      const query = parseInput(eventQuery, request.query)
      if (query.after !== undefined) void reply.headers(deprecationOfAfter(context))
      const { events, nextCursor, hasMore } = await readEventPage(context, caller, query)
      return (
        `{"data":${events},"nextCursor":"${nextCursor}","hasMore":${hasMore},` +
        `"usage":${JSON.stringify(usageOf(caller))}}`
      )
    }),
  }
}

type PageContext = Pick<Context, 'database' | 'cursorKey' | 'behaviour'>

export async function readEventPage(
  context: PageContext,
  { accountId }: Pick<Caller, 'accountId'>,
  query: EventQuery,
): Promise<AnsweredPage> {
  const { provider, type, confirmation } = query
  const filters = [provider, type, confirmation]
  return await readPage(context, { stream: 'events', accountId, filters }, query, query)
}

export interface AnsweredPage {
  /** The events as a JSON array. */
  events: string
  nextCursor: string
  hasMore: boolean
}

/** One page of the events that the filter selects. @throws Refusal `bad_cursor` */
export async function readPage(
  { database, cursorKey, behaviour }: PageContext,
  scope: CursorScope,
  filter: EventFilter,
  { cursor, after, limit }: Pick<EventQuery, 'cursor' | 'after' | 'limit'>,
): Promise<AnsweredPage> {
  const start = startOf({ cursor, after }, (given) => readCursor(cursorKey, scope, given))
  const page = await listEvents(database, filter, start, limit)
  const { positions, hasMore } = continueFrom(page, start, behaviour.firstCursor)
  return {
    events: `[${page.data}]`,
    nextCursor: writeCursor(cursorKey, scope, positions),
    hasMore,
  }
}

function startOf(
  { cursor, after }: Pick<EventQuery, 'cursor' | 'after'>,
  read: (cursor: string) => [number, number?] | undefined,
): PageStart {
  if (after !== undefined) return { from: 'time', after }
  if (cursor === undefined) return { from: 'newest' }
  const positions = read(cursor)
  if (!positions) throw new Refusal('bad_cursor')
  const [position, within] = positions
  if (within === undefined) return { from: 'position', after: position }
  return { from: 'within', until: position, after: within }
}

/**
 * Where the next page begins. A page that is the last for now leads to the end of the whole feed, so
 * that a rare filter does not look through the same events again; never to nowhere (R113). Pages by
 * time end where the feed ended as they began, and lead on to what came or changed since.
 */
function continueFrom(
  { hasMore, lastPosition, tail, count }: EventPage,
  start: PageStart,
  firstCursor: Context['behaviour']['firstCursor'],
): { positions: [number, number?]; hasMore: boolean } {
  if (start.from === 'newest' && firstCursor === 'replay')
    return { positions: [0], hasMore: count > 0 }
  // What a first page leaves out is older, and no cursor leads back to it.
  if (start.from === 'newest') return { positions: [tail], hasMore: false }
  if (start.from === 'position') return { positions: [hasMore ? lastPosition : tail], hasMore }
  const until = start.from === 'time' ? tail : start.until
  return hasMore
    ? { positions: [until, lastPosition], hasMore }
    : { positions: [until], hasMore: tail > until }
}

// The day on which the contract of the account events, which has cursors alone, came into force.
const deprecatedSince = Date.UTC(2026, 7, 20) / 1000

function deprecationOfAfter({ baseUrl }: Context): Record<string, string> {
  return {
    Deprecation: `@${deprecatedSince}`,
    Link: `<${baseUrl()}/developers#after>; rel="deprecation"; type="text/html"`,
  }
}
