import { z } from 'zod'
import { action, numbered } from '../../server/action.ts'
import type { Context } from '../../server/context.ts'
import { conflict, found, Rejection } from '../../server/rejections.ts'
import { deliveryKinds, type AttemptOutcome } from '../../state/delivery.ts'
import { destinationIdSchema, plainText, page } from '../../state/fields.ts'
import { readDestination, type Destination, type Pause } from '../destinations/destinations.ts'

export const deliveryStates = [
  'scheduled',
  'held',
  'in_flight',
  'delivered',
  'rejected',
  'exhausted',
  'test_failed',
  'cancelled',
  'skipped',
] as const

export interface StoredDelivery {
  id: number
  destinationId: string
  destinationName: string
  /** The current state of the destination. */
  destinationState: Destination['state'] | 'deleted'
  eventId: string
  /** Null if neither the body nor the feed contains it, as for a chat's test. */
  eventType: string | null
  eventTitle: string | null
  kind: (typeof deliveryKinds)[number]
  state: (typeof deliveryStates)[number]
  /** The reason for this state, unless it is plain success. */
  reason: string | null
  attempts: number
  /** By the sandbox's clock; null if no attempt follows. */
  nextAttemptAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Of the last attempt: the status of the response, and the error if there was none. */
  lastStatus: number | null
  lastErrorCode: string | null
}

export const listDeliveries = action(
  'Lists deliveries with their event, destination and attempts, newest first.',
  page.extend({
    destinationId: destinationIdSchema.optional(),
    eventId: plainText(255).optional(),
    kind: z.enum(deliveryKinds).optional(),
    state: z.enum(deliveryStates).optional(),
  }),
  async ({ database }, { destinationId: to, eventId, kind, state, before, limit = 100 }) => {
    const { rows } = await database.query<StoredDelivery>(
      `select ${columns}
       from (
         select * from sandbox.delivery
         where ($1::text is null or destination_id = $1) and ($2::text is null or event_id = $2)
           and ($3::text is null or state = $3) and ($4::bigint is null or id < $4)
           and ($6::text is null or kind = $6)
         order by id desc limit $5
       ) d ${joined}
       order by d.id desc`,
      [to, eventId, state, before, limit, kind],
    )
    const { rows: attempts } = await database.query<ListedAttempt & { deliveryId: number }>(
      `select delivery_id as "deliveryId", ${attemptColumns}
       from sandbox.delivery_attempt where delivery_id = any($1) order by delivery_id, attempt`,
      [rows.map(({ id }) => id)],
    )
    const attemptsOf = new Map(rows.map(({ id }): [number, ListedAttempt[]] => [id, []]))
    for (const { deliveryId, ...attempt } of attempts) attemptsOf.get(deliveryId)?.push(attempt)
    return rows.map((row) => ({ ...row, attemptList: attemptsOf.get(row.id) ?? [] }))
  },
)

type ListedAttempt = Pick<
  StoredAttempt,
  'attempt' | 'startedAt' | 'durationMs' | 'outcome' | 'status' | 'cause' | 'errorCode'
>

/** An attempt. While it is in progress, only its number, its start and its secret are known. */
export interface StoredAttempt extends Omit<
  AttemptOutcome,
  'deliveryId' | 'result' | 'cause' | 'durationMs'
> {
  /** By the sandbox's clock. */
  startedAt: Date
  /** Null while it is in progress. */
  outcome: AttemptOutcome['result'] | null
  cause: string | null
  durationMs: number | null
  /** Identifies the secret of the destination that signed it. */
  secretId: number | null
}

export type DetailedDelivery = StoredDelivery & { body: string; attemptList: StoredAttempt[] }

export const findDelivery = action(
  'Finds a delivery, with its body and all attempts.',
  z.object({ id: z.coerce.number<number>().int().min(1) }),
  async ({ database }, { id }): Promise<DetailedDelivery | undefined> => {
    const { rows } = await database.query<StoredDelivery & { body: string }>(
      `select ${columns}, d.body from sandbox.delivery d ${joined} where d.id = $1`,
      [id],
    )
    const [row] = rows
    if (!row) return undefined
    const { rows: attemptList } = await database.query<StoredAttempt>(
      `select ${attemptColumns}, signed_at as "signedAt", secret_id as "secretId",
         error_message as "errorMessage", retry_after as "retryAfter",
         next_delay_ms as "nextDelayMs", response_body as "responseBody", fault
       from sandbox.delivery_attempt where delivery_id = $1 order by attempt`,
      [id],
    )
    return { ...row, attemptList }
  },
  { finds: 'delivery' },
)

const attemptColumns = `
  attempt, started_at as "startedAt", duration_ms as "durationMs", outcome, status, cause,
  error_code as "errorCode"`

/** Reads JSON whose strings PostgreSQL may be unable to hold: with NUL, or half of a surrogate pair. */
const readable = (body: string) =>
  String.raw`regexp_replace(${body}, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g')::json`

// Type and title come from the sent body. A chat's body has neither, so the feed supplies them.
const columns = `
  d.id, d.destination_id as "destinationId", t.name as "destinationName",
  t.state as "destinationState", d.event_id as "eventId", d.kind, d.state, d.reason,
  case when t.kind = 'signed' then ${readable('d.body')}->>'type' else e.type end as "eventType",
  case when t.kind = 'signed' then ${readable('d.body')}->'data'->>'title'
    else ${readable('e.body')}->>'title' end as "eventTitle",
  d.attempts, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
  d.ended_at as "endedAt", a.status as "lastStatus", a.error_code as "lastErrorCode"`

const joined = `
  join sandbox.destination t on t.id = d.destination_id
  left join sandbox.event e on e.id = d.event_id
  left join sandbox.delivery_attempt a on a.delivery_id = d.id and a.attempt = d.attempts`

export const resendDelivery = action(
  'Sends a finished delivery again, as a new delivery of the same bytes; `destination_not_active` if its destination is paused.',
  numbered,
  async (context, { id }) => {
    await checkCanBeSent(context, id)
    const { rows } = await context.database.query<{ id: number }>(
      `insert into sandbox.delivery (destination_id, event_id, kind, state, body, next_attempt_at)
       select d.destination_id, d.event_id, 'replay', 'scheduled', d.body, sandbox.clock_time()
       from sandbox.delivery d
       join sandbox.destination t on t.id = d.destination_id and t.state = 'active'
       where d.id = $1 and d.state not in ('scheduled', 'held', 'in_flight')
       returning id`,
      [id],
    )
    const [made] = rows
    if (!made) {
      throw conflict(
        'The delivery is not finished. Retry it now, or send it again once it is finished.',
      )
    }
    return await sendSoon(context, made.id)
  },
)

// The clock does not change.
export const retryDelivery = action(
  'Makes the next attempt of a scheduled delivery now; `destination_not_active` if its destination is paused.',
  numbered,
  async (context, { id }) => {
    await checkCanBeSent(context, id)
    const { rowCount } = await context.database.query(
      `update sandbox.delivery set next_attempt_at = sandbox.clock_time()
       where id = $1 and state = 'scheduled'`,
      [id],
    )
    if (rowCount === 0) {
      throw conflict('The delivery has no scheduled attempt. Send it again once it is finished.')
    }
    return await sendSoon(context, id)
  },
  { rejectStrict: () => 'A strict sandbox retries after the backoff, like the service.' },
)

async function sendSoon(context: Context, id: number) {
  const delivery = found(await findDelivery.run(context, { id }), 'delivery')
  context.deliverer.wake()
  return delivery
}

/** Rejects deliveries that the service would cancel when due. */
async function checkCanBeSent(context: Context, id: number): Promise<void> {
  const { database, vault } = context
  const delivery = found(await findDelivery.run(context, { id }), 'delivery')
  const { kind, destinationId, destinationName: name, destinationState: state } = delivery
  if (kind === 'test') {
    throw conflict('A test delivery has no second attempt. Send another test.')
  }
  if (state === 'active') return
  const pause =
    state === 'paused' ? (await readDestination(database, vault, destinationId)).pause : null
  throw new Rejection('destination_not_active', { detail: `${name} ${whyNotActive(state, pause)}` })
}

function whyNotActive(state: 'new' | 'paused' | 'deleted', pause: Pause | null): string {
  if (state === 'new') {
    return 'is new, so it receives no deliveries. Test it first: a 2xx answer activates it.'
  }
  if (state === 'deleted') {
    return 'was deleted, so it receives no deliveries. Create a destination with the same URL.'
  }
  if (pause?.by === 'answer') {
    return `is paused because it answered ${String(pause.status)}. Fix the app, then resume the destination with a test delivery that it answers with 2xx.`
  }
  const why = pause ? 'was paused by hand' : 'is paused, so it receives no deliveries'
  return `${why}. Resume it with a test delivery that it answers with 2xx.`
}
