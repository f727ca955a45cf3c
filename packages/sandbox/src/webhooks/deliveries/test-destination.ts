import { randomBytes } from 'node:crypto'
import { fixture } from '@feed-receiver/sender'
import { action } from '../../server/action.ts'
import type { Context } from '../../server/context.ts'
import { found } from '../../server/rejections.ts'
import { clockTime } from '../../clock.ts'
import type { ClaimedDelivery, MadeAttempt } from '../../state/delivery.ts'
import { renderBody } from '../chats/chats.ts'
import { oneDestination, readDestination, type Destination } from '../destinations/destinations.ts'
import { applyRotations } from '../secrets/signing-secrets.ts'
import { leaseSeconds } from './claim-deliveries.ts'

type OfAttempt =
  | 'deliveryId'
  | 'eventId'
  | 'status'
  | 'cause'
  | 'errorCode'
  | 'responseBody'
  | 'durationMs'

export interface TestResult extends Pick<MadeAttempt, OfAttempt> {
  isAccepted: boolean
  /** The destination after the test. */
  destination: Destination
}

// It is sent only once, whatever the state of the destination.
export const testDestination = action(
  'Sends a test delivery and waits for the answer; a 2xx activates a new destination and resumes a paused one.',
  oneDestination,
  async (context, { id }): Promise<TestResult> => {
    const { database, vault, deliverer } = context
    const claimed = await claimTest(context, id)
    const outcome = await deliverer.attempt(claimed)
    const { result, deliveryId, status, cause, errorCode, responseBody, durationMs } = outcome
    const destination = await readDestination(database, vault, id)
    deliverer.wake()
    const answer = { status, cause, errorCode, responseBody, durationMs, destination }
    return { isAccepted: result === 'accepted', deliveryId, eventId: claimed.eventId, ...answer }
  },
)

async function claimTest({ database, vault, baseUrl }: Context, id: string) {
  const { kind: destinationKind } = await readDestination(database, vault, id)
  const event = fixture('destination_test', {
    // Each test has its own id: an inbox would drop a second one as a duplicate.
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    created_at: (await clockTime(database)).toISOString(),
    data: {
      provider: 'sandbox',
      subject: { type: 'destination', key: id },
      summary: 'A sample event that shows whether this destination accepts deliveries.',
      source_url: `${baseUrl()}/developers`,
    },
  })
  const body = renderBody(destinationKind, event)
  await applyRotations(database)
  const { rows } = await database.query<InsertedTest>(insertSql, [id, event.id, body])
  const delivery = { kind: 'test', eventId: event.id, attempt: 1, body } as const
  return { ...delivery, destinationId: id, destinationKind, ...found(rows[0], 'destination') }
}

type InsertedTest = Pick<ClaimedDelivery, 'id' | 'urlSealed' | 'secretSealed'>

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
recorded as (
  insert into sandbox.delivery_attempt (delivery_id, attempt, started_at, generation, secret_id)
  select made.id, 1, sandbox.clock_time(), generation, secret_id from made, target
)
select made.id, url_sealed as "urlSealed", sealed as "secretSealed" from made, target`
