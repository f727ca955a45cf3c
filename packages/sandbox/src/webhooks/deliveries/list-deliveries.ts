import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { plainText, page } from '../../state/fields.ts'
import { destinationId } from '../destinations/destinations.ts'

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

export interface KeptDelivery {
  id: number
  destinationId: string
  eventId: string
  kind: 'live' | 'test' | 'replay'
  state: (typeof deliveryStates)[number]
  /** Why it is in this state, where that is not plain success. */
  reason: string | null
  attempts: number
  /** By the sandbox's clock; null where none follows. */
  nextAttemptAt: Date | null
  createdAt: Date
  endedAt: Date | null
  /** Of the last attempt: what was answered, and why none was. */
  lastStatus: number | null
  lastErrorCode: string | null
}

export const deliveryFilter = page.extend({
  destinationId: destinationId.optional(),
  eventId: plainText(255).optional().meta({ title: 'Event' }),
  state: z.enum(deliveryStates).optional(),
})

export type DeliveryFilter = z.infer<typeof deliveryFilter>

/** The journal of deliveries, the newest first. */
export async function listDeliveries(
  db: Queryable,
  { destinationId: to, eventId, state, before, limit = 100 }: DeliveryFilter = {},
): Promise<KeptDelivery[]> {
  const { rows } = await db.query<KeptDelivery>(
    `select ${columns}
     from (
       select * from sandbox.delivery
       where ($1::text is null or destination_id = $1) and ($2::text is null or event_id = $2)
         and ($3::text is null or state = $3) and ($4::bigint is null or id < $4)
       order by id desc limit $5
     ) d ${lastAttempt}
     order by d.id desc`,
    [to, eventId, state, before, limit],
  )
  return rows
}

export interface KeptAttempt {
  attempt: number
  /** By the sandbox's clock. */
  startedAt: Date
  /** Null while it is under way. */
  outcome: 'accepted' | 'pause' | 'retry' | 'interrupted' | null
  /** Unix seconds in real time, as the signature has it. */
  signedAt: number | null
  /** Tells which of the destination's secrets signed it. */
  secretId: number | null
  status: number | null
  cause: string | null
  errorCode: string | null
  errorMessage: string | null
  durationMs: number | null
  retryAfter: string | null
  nextDelayMs: number | null
  responseBody: string | null
  /** What was made to go wrong. */
  fault: string | null
}

export type DetailedDelivery = KeptDelivery & { body: string; attemptList: KeptAttempt[] }

/** A delivery with its body and every attempt; undefined where there is none. */
export async function findDelivery(
  db: Queryable,
  id: number,
): Promise<DetailedDelivery | undefined> {
  const { rows } = await db.query<KeptDelivery & { body: string }>(
    `select ${columns}, d.body from sandbox.delivery d ${lastAttempt} where d.id = $1`,
    [id],
  )
  const [row] = rows
  if (!row) return undefined
  const { rows: attemptList } = await db.query<KeptAttempt>(
    `select attempt, started_at as "startedAt", outcome, signed_at as "signedAt",
       secret_id as "secretId", status, cause, error_code as "errorCode",
       error_message as "errorMessage", duration_ms as "durationMs", retry_after as "retryAfter",
       next_delay_ms as "nextDelayMs", response_body as "responseBody", fault
     from sandbox.delivery_attempt where delivery_id = $1 order by attempt`,
    [id],
  )
  return { ...row, attemptList }
}

const columns = `
  d.id, d.destination_id as "destinationId", d.event_id as "eventId", d.kind, d.state, d.reason,
  d.attempts, d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt",
  d.ended_at as "endedAt", a.status as "lastStatus", a.error_code as "lastErrorCode"`

const lastAttempt = `
  left join sandbox.delivery_attempt a on a.delivery_id = d.id and a.attempt = d.attempts`
