import { z } from 'zod'
import { withFaults } from '../faults/api-faults.ts'
import { type ApiRoute, usageOf } from '../server/api-routes.ts'
import type { Caller } from '../server/charging.ts'
import type { Context } from '../server/context.ts'
import { cursorParameter, readCursor, writeCursor, type CursorScope } from '../server/cursor.ts'
import { parseInput } from '../server/rejections.ts'
import { dateTime, pageSize, slug } from '../state/fields.ts'
import { selectPage, type EventFilter, type EventPage, type PageStart } from './list-events.ts'

/** The parameters of /v1/events. Others are ignored. */
export const eventParameters = {
  limit: pageSize(200).describe('The maximum number of events in the page.'),
  cursor: cursorParameter,
  provider: slug.optional().describe('Only events of this provider.'),
  type: slug
    .optional()
    .describe('Only events of this type; `outage` selects every step of an outage.'),
  confirmation: z
    .enum(['confirmed', 'all'])
    .default('confirmed')
    .describe('`all` adds unconfirmed events, which are early signals.'),
  after: dateTime
    .optional()
    .meta({ deprecated: true })
    .describe(
      'Only events first observed after this time, in the years 1 to 9999, with an offset below ' +
        '16 hours and at most 6 digits after the second. Can skip events that share a time: use cursor.',
    ),
}

const eventQuery = z
  .object(eventParameters)
  .refine(({ cursor, after }) => cursor === undefined || after === undefined, {
    error: 'cursor and after cannot be combined; use cursor',
  })

type EventQuery = z.infer<typeof eventQuery>

/** GET /v1/events: newest first without a cursor, oldest first with one. */
export const eventsRoute: ApiRoute = {
  path: '/events',
  answer: withFaults('events', async (context, caller, request, reply) => {
    const query = parseInput(eventQuery, request.query)
    if (query.after !== undefined) {
      void reply.headers({
        // The effective date of the contract of account events, which has only cursors.
        Deprecation: `@${Date.UTC(2026, 7, 20) / 1000}`,
        Link: `<${context.baseUrl()}/developers#after>; rel="deprecation"; type="text/html"`,
      })
    }
    const { events, nextCursor, hasMore } = await readEventPage(context, caller, query)
    return (
      `{"data":${events},"nextCursor":"${nextCursor}","hasMore":${hasMore},` +
      `"usage":${JSON.stringify(usageOf(caller))}}`
    )
  }),
}

export async function readEventPage(
  context: Context,
  { accountId }: Caller,
  query: Omit<EventQuery, 'after'>,
) {
  const { provider, type, confirmation } = query
  const filters = [provider, type, confirmation]
  return await readPage(context, { stream: 'events', accountId, filters }, query, query)
}

/** One page of the events that match the filter, as a JSON array. @throws Rejection `bad_cursor` */
export async function readPage(
  { database, cursorKey, behaviour }: Context,
  scope: CursorScope,
  filter: EventFilter,
  { limit, cursor, after }: Pick<EventQuery, 'limit' | 'cursor'> & { after?: string | undefined },
) {
  const start = startOf(after, cursor === undefined ? [] : readCursor(cursorKey, scope, cursor))
  const page = await selectPage(database, filter, start, limit)
  const { positions, hasMore } = continueFrom(page, start, behaviour.firstCursor)
  const nextCursor = writeCursor(cursorKey, scope, positions)
  return { events: `[${page.data}]`, nextCursor, hasMore }
}

function startOf(after: string | undefined, [position, within]: [number?, number?]): PageStart {
  if (after !== undefined) return { from: 'time', after }
  if (position === undefined) return { from: 'newest' }
  if (within === undefined) return { from: 'position', after: position }
  return { from: 'within', until: position, after: within }
}

/**
 * Returns where the next page begins. The last page for now leads to the end of the whole feed, so
 * that a rare filter does not scan the same events again. There is always a next cursor.
 * Pages by time end where the feed ended when they began, and continue with later events and
 * changes.
 */
function continueFrom(
  { data, hasMore, lastPosition, tail }: EventPage,
  start: PageStart,
  firstCursor: Context['behaviour']['firstCursor'],
): { positions: [number, number?]; hasMore: boolean } {
  if (start.from === 'newest' && firstCursor === 'replay')
    return { positions: [0], hasMore: data !== '' }
  // Events missing on a first page are older, and no cursor leads back to them.
  if (start.from === 'newest') return { positions: [tail], hasMore: false }
  if (start.from === 'position') return { positions: [hasMore ? lastPosition : tail], hasMore }
  const until = start.from === 'time' ? tail : start.until
  return hasMore
    ? { positions: [until, lastPosition], hasMore }
    : { positions: [until], hasMore: tail > until }
}
