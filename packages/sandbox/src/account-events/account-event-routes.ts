import {
  accountEventContract,
  accountEventsContract,
  eventRefPattern,
} from '@feed-receiver/core/api'
import { withFaults } from '../faults/with-faults.ts'
import type { Context } from '../server/context.ts'
import { readCursor, writeCursor, type CursorScope } from '../state/cursor.ts'
import { usageOf, type Caller } from '../server/caller.ts'
import type { ApiRoute } from '../server/api-routes.ts'
import { parseInput } from '../server/parse-input.ts'
import { Refusal, refusals } from '../server/refusals.ts'
import { accountEventQuery, type AccountEventQuery } from './account-event-query.ts'
import { findAccountEvent, listAccountEvents } from './account-event-table.ts'

/** GET /v1/account-events: the newest first, on every page (R122–R132). */
export function accountEventsRoute(context: Context): ApiRoute {
  const { database, cursorKey } = context
  return {
    path: '/account-events',
    answer: withFaults(context, 'account-events', async (caller, request) => {
      if (!isEnabled(caller)) throw new Refusal('feature_off')
      const query = parseInput(accountEventQuery, request.query)
      const scope = scopeOf(caller, query)
      const before = query.cursor === undefined ? undefined : read(scope, query.cursor)
      const filter = { accountId: caller.accountId, types: query.type, before }
      const { data, lastPosition, hasMore } = await listAccountEvents(
        database,
        { ...filter, subjectType: query.subjectType },
        query.limit,
      )
      const nextCursor = hasMore ? writeCursor(cursorKey, scope, [lastPosition]) : null
      return (
        `{"contractVersion":"${accountEventsContract}","data":[${data}],` +
        `"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore},` +
        `"usage":${JSON.stringify(usageOf(caller))}}`
      )
    }),
  }

  function read(scope: CursorScope, cursor: string): number {
    const positions = readCursor(cursorKey, scope, cursor)
    if (!positions) throw new Refusal('bad_cursor')
    return positions[0]
  }
}

/**
 * GET /v1/account-events/{eventRef}. Whether a feature is off, or the event missing, guessed, of another
 * account or of no such form, cannot be told apart; it is looked for in every case (R137).
 */
export function accountEventRoute(context: Context): ApiRoute {
  return {
    path: '/account-events/:eventRef',
    answer: withFaults(context, 'account-event', async (caller, request) => {
      const ref = readRef(request.params)
      const event = await findAccountEvent(context.database, caller.accountId, ref)
      const detail = refusals.account_event_missing[2]
      if (!isEnabled(caller)) throw new Refusal('feature_off', { detail })
      if (event === undefined) throw new Refusal('account_event_missing')
      return (
        `{"contractVersion":"${accountEventContract}","event":${event},` +
        `"usage":${JSON.stringify(usageOf(caller))}}`
      )
    }),
  }
}

function readRef(params: unknown): string {
  const given = typeof params === 'object' && params && 'eventRef' in params && params.eventRef
  return typeof given === 'string' && eventRefPattern.test(given) ? given : ''
}

function isEnabled({ decisionIntelligence, privateActivity }: Caller): boolean {
  return decisionIntelligence && privateActivity
}

// Of the account and not of the key, which may be rotated (R126); types in any order are one filter.
function scopeOf({ accountId }: Caller, { type, subjectType }: AccountEventQuery): CursorScope {
  const filters = [type && [...type].toSorted().join(), subjectType]
  return { stream: 'account-events', accountId, filters }
}
