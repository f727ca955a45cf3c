import {
  accountEventContract,
  accountEventsContract,
  accountEventTypes,
  accountSubjectTypes,
  eventRefPattern,
} from '@feed-receiver/client/internal'
import { z } from 'zod'
import { withFaults } from '../faults/api-faults.ts'
import { type ApiRoute, usageOf } from '../server/api-routes.ts'
import type { Caller } from '../server/charging.ts'
import { cursorParameter, readCursor, writeCursor } from '../server/cursor.ts'
import { parseInput, Rejection, rejections } from '../server/rejections.ts'
import { pageSize } from '../state/fields.ts'

/** The parameters of /v1/account-events. Others are ignored, as for /v1/events. */
export const accountEventParameters = {
  limit: pageSize(100).describe('The maximum number of events in the page.'),
  cursor: cursorParameter,
  type: z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z
        .array(z.enum(accountEventTypes))
        .max(5)
        .refine((types) => new Set(types).size === types.length, 'expected each type once')
        .meta({ uniqueItems: true }),
    )
    .optional()
    .describe('Only events of these types; repeat the parameter for each type.'),
  subjectType: z
    .enum(accountSubjectTypes)
    .optional()
    .describe('Only events about subjects of this type.'),
}

// Some clients spell a repeated parameter with brackets. Ignoring that would return all types.
const noBrackets = z
  .record(z.string(), z.unknown())
  .refine((given) => !Object.keys(given).some((name) => name.startsWith('type[')), {
    error: 'repeat the parameter type without brackets',
  })

const accountEventQuery = noBrackets.pipe(z.object(accountEventParameters))

/** GET /v1/account-events: newest first on every page, also with a cursor. */
export const accountEventsRoute: ApiRoute = {
  path: '/account-events',
  answer: withFaults('account-events', async ({ database, cursorKey }, caller, request) => {
    if (!isEnabled(caller)) throw new Rejection('feature_off')
    const { accountId } = caller
    const query = parseInput(accountEventQuery, request.query)
    const { type, subjectType, cursor, limit } = query
    // The scope is the account, because a key may be rotated. Types in any order are one filter.
    const filters = [type?.toSorted().join(), subjectType]
    const scope = { stream: 'account-events', accountId, filters } as const
    const [before] = cursor === undefined ? [] : readCursor(cursorKey, scope, cursor)
    const { rows } = await database.query<{ position: number; body: string }>(
      `select position, body from sandbox.account_event
       where account_id = $1
         and ($2::text[] is null or type = any ($2))
         and ($3::text is null or subject_type = $3)
         and ($4::bigint is null or position < $4)
       order by position desc limit $5::int + 1`,
      [accountId, type, subjectType, before, limit],
    )
    const page = rows.slice(0, limit)
    const hasMore = rows.length > limit
    const last = page.at(-1)?.position ?? 0
    const nextCursor = hasMore ? writeCursor(cursorKey, scope, [last]) : null
    return (
      `{"contractVersion":"${accountEventsContract}",` +
      `"data":[${page.map(({ body }) => body).join(',')}],` +
      `"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore},` +
      `"usage":${JSON.stringify(usageOf(caller))}}`
    )
  }),
}

/**
 * GET /v1/account-events/{eventRef}. The response does not reveal why there is no event: a feature
 * is off, or the reference is malformed, unknown or of another account. The query runs in every
 * case.
 */
export const accountEventRoute: ApiRoute = {
  // A reference is not empty, and a dot would match no line break.
  path: '/account-events/:eventRef([^/]+)',
  answer: withFaults('account-event', async ({ database }, caller, request) => {
    const { eventRef } = Object(request.params)
    const { rows } = await database.query<{ body: string }>(
      'select body from sandbox.account_event where account_id = $1 and ref = $2',
      [caller.accountId, eventRefPattern.test(eventRef) ? eventRef : ''],
    )
    const detail = rejections.account_event_missing.error
    if (!isEnabled(caller)) throw new Rejection('feature_off', { detail })
    if (!rows[0]) throw new Rejection('account_event_missing')
    return (
      `{"contractVersion":"${accountEventContract}","event":${rows[0].body},` +
      `"usage":${JSON.stringify(usageOf(caller))}}`
    )
  }),
}

function isEnabled({ decisionIntelligence, privateActivity }: Caller): boolean {
  return decisionIntelligence && privateActivity
}
