import { missing } from '../../server/missing.ts'
import { leaseSeconds, type ClaimedDelivery } from '../deliveries/claim-deliveries.ts'
import type { Deliverer } from '../deliveries/deliverer.ts'
import { findDestination, type Destination } from './destinations.ts'
import type { AttemptOutcome } from '../deliveries/finish-attempts.ts'
import { renderBody } from '../chats/render-body.ts'
import { settleSecrets } from '../secrets/signing-secrets.ts'
import type { WebhookContext } from '../webhook-context.ts'
import { makeTestEvent } from '../deliveries/webhook-event.ts'

export interface TestResult {
  isAccepted: boolean
  deliveryId: number
  eventId: string
  status: number | null
  cause: string
  /** What kept an answer from coming, such as ECONNREFUSED. */
  errorCode: string | null
  durationMs: number
  /** As the test left it. */
  destination: Destination
}

/**
 * Makes a test delivery at once and once only (R212), in whatever state the destination is; a 2xx makes
 * it active.
 *
 * @throws Refusal `not_found`
 */
export async function testDestination(
  context: WebhookContext,
  deliverer: Deliverer,
  id: string,
): Promise<TestResult> {
  const { database, vault } = context
  const claimed = await claimTest(context, id)
  const outcome = await deliverer.attempt(claimed)
  const destination = await findDestination(database, vault, id)
  if (!destination) throw missing('destination')
  return { ...describe(outcome), eventId: claimed.eventId, destination }
}

async function claimTest(context: WebhookContext, id: string): Promise<ClaimedDelivery> {
  const { database, vault, clock, baseUrl } = context
  const destination = await findDestination(database, vault, id)
  if (!destination) throw missing('destination')
  const { kind } = destination
  const event = makeTestEvent(id, await clock.now(), baseUrl())
  const body = renderBody(kind, event)
  await settleSecrets(database)
  const { rows } = await database.query<InsertedTest>(insertSql, [id, event.id, body])
  const [row] = rows
  if (!row) throw missing('destination')
  return {
    id: row.id,
    eventId: event.id,
    kind: 'test',
    attempt: 1,
    body,
    destinationId: id,
    destinationKind: kind,
    urlSealed: row.url_sealed,
    secretSealed: row.sealed,
  }
}

interface InsertedTest {
  id: number
  url_sealed: Buffer
  sealed: Buffer | null
}

const insertSql = `
with target as (
  select t.id, t.url_sealed, t.generation, s.id as secret_id, s.sealed
  from sandbox.destination t
  left join sandbox.destination_secret s on s.destination_id = t.id and s.state = 'current'
  where t.id = $1 and t.state <> 'deleted'
),
made as (
  insert into sandbox.delivery
    (destination_id, event_id, kind, state, attempts, body, lease_until)
  select id, $2, 'test', 'in_flight', 1, $3, clock_timestamp() + interval '${leaseSeconds} seconds'
  from target
  returning id
),
noted as (
  insert into sandbox.delivery_attempt (delivery_id, attempt, started_at, generation, secret_id)
  select made.id, 1, sandbox.clock_time(), generation, secret_id from made, target
)
select made.id, url_sealed, sealed from made, target`

function describe(outcome: AttemptOutcome): Omit<TestResult, 'eventId' | 'destination'> {
  const { result, deliveryId, status, cause, errorCode, durationMs } = outcome
  return { isAccepted: result === 'accepted', deliveryId, status, cause, errorCode, durationMs }
}
