import type { FeedEvent } from '@feed-receiver/core'
import { toFeedEvent } from '@feed-receiver/client/internal'
import type { Tx } from '@feed-receiver/database'
import type { DeliveryFault } from '../../faults/delivery-faults.ts'
import type { ServiceEvent, PublishedEvent } from '../../state/service-event.ts'
import { renderBody } from '../chats/chats.ts'
import {
  isSelected,
  type Destination,
  type DestinationRules,
} from '../destinations/destinations.ts'

/**
 * Schedules the deliveries of published events in the same transaction, so that both are committed
 * together. Only an observation and a confirmation are delivered, and each event only once to a
 * destination.
 */
export async function enqueueDeliveries(tx: Tx, published: readonly PublishedEvent[]) {
  const destinations = await readDestinations(tx)
  if (destinations.length === 0) return
  const deliveries = published.flatMap((one) => selectDeliveries(one, destinations))
  if (deliveries.length === 0) return
  const values = columns.map((name) => deliveries.map((delivery) => delivery[name]))
  await tx.query(insertSql, values)
}

/** A row of `sandbox.delivery`, before it gets its state and its times. */
interface NewDelivery {
  destinationId: string
  eventId: string
  kind: 'live' | 'replay'
  body: string
  /** Why it is not sent, if it is not. */
  skipped: string | null
  /** How long it is held back, for `reorder`. */
  delayMs: number
}

interface SelectingDestination extends DestinationRules {
  id: string
  kind: Destination['kind']
  state: Destination['state']
  proActive: boolean
  faults: DeliveryFault[]
}

async function readDestinations(tx: Tx) {
  const { rows } = await tx.query<SelectingDestination>(
    `select d.id, d.kind, d.state, d.providers, d.categories, d.types, d.confirmation,
       a.pro_active as "proActive", array(
         select fault from sandbox.delivery_fault
         where destination_id is null or destination_id = d.id
       ) as faults
     from sandbox.destination d
     join sandbox.account a on a.id = d.account_id
     where d.state <> 'deleted'
     order by d.created_at, d.id`,
  )
  return rows
}

function selectDeliveries(
  { event, change }: PublishedEvent,
  destinations: SelectingDestination[],
): NewDelivery[] {
  const isNews = change === 'observed' || change === 'confirmed'
  const selecting = destinations.filter(
    (one) => (isNews || one.faults.includes('send_corrections')) && isSelected(one, event),
  )
  if (selecting.length === 0) return []
  const webhookEvent = toWebhookEvent(event)
  return selecting.map((destination) => ({
    destinationId: destination.id,
    eventId: event.id,
    kind: isNews ? 'live' : 'replay',
    body: renderBody(destination.kind, webhookEvent),
    skipped: skipReason(destination),
    delayMs: destination.faults.includes('reorder') && isEven(event.id) ? reorderDelayMs : 0,
  }))
}

/** An event as webhooks carry it, without members that only the pull API has. */
export function toWebhookEvent(event: ServiceEvent): FeedEvent {
  const { pull: _, ...envelope } = toFeedEvent(event)
  return envelope
}

function skipReason({ state, proActive }: SelectingDestination): string | null {
  if (!proActive) return 'pro_inactive'
  return state === 'active' ? null : `destination_${state}`
}

const reorderDelayMs = 10_000

/** Selects about every other event, and always the same ones. */
function isEven(eventId: string): boolean {
  return Buffer.from(eventId).reduce((sum, byte) => sum + byte, 0) % 2 === 0
}

const columns = ['destinationId', 'eventId', 'kind', 'body', 'skipped', 'delayMs'] as const

const insertSql = `
with now as materialized (select sandbox.clock_time() as at)
insert into sandbox.delivery
  (destination_id, event_id, kind, body, state, reason, next_attempt_at, created_at, ended_at)
select destination_id, event_id, kind, body,
  case when skipped is null then 'scheduled' else 'skipped' end,
  skipped,
  case when skipped is null then at + delay_ms * interval '1 millisecond' end,
  at,
  case when skipped is not null then at end
from now, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[])
  with ordinality as delivery (destination_id, event_id, kind, body, skipped, delay_ms, ordinal)
order by ordinal
on conflict (destination_id, event_id) where kind = 'live' and state not in ('skipped', 'cancelled')
do nothing`
