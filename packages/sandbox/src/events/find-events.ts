import type { Queryable } from '@feed-receiver/database'
import { serviceEvent, type ServiceEvent } from '../state/event-schema.ts'

export async function findEvent(db: Queryable, id: string): Promise<ServiceEvent | undefined> {
  const text = 'select body from sandbox.event where id = $1'
  const { rows } = await db.query<{ body: string }>(text, [id])
  return rows.map(toEvent)[0]
}

/** The last step of the provider's newest incident that is not resolved. */
export async function findOpenStep(
  db: Queryable,
  provider: string,
): Promise<ServiceEvent | undefined> {
  const { rows } = await db.query<{ body: string }>(
    `select body from sandbox.event last
     where provider = $1 and incident_id is not null
       and not exists (
         select from sandbox.event later
         where later.incident_id = last.incident_id
           and later.incident_sequence > last.incident_sequence
       )
       and type <> 'outage_resolved'
     order by position desc limit 1`,
    [provider],
  )
  return rows.map(toEvent)[0]
}

/** Whatever their state; `before` is the position of an earlier page's last one. */
export async function findNewestEvents(
  db: Queryable,
  { before, limit = 100 }: { before?: number | undefined; limit?: number | undefined } = {},
): Promise<(ServiceEvent & { position: number })[]> {
  const { rows } = await db.query<{ position: number; body: string }>(
    `select position, body from sandbox.event
     where $1::bigint is null or position < $1
     order by position desc limit $2`,
    [before, limit],
  )
  return rows.map((row) => ({ ...toEvent(row), position: row.position }))
}

async function findSteps(db: Queryable, incidentId: string): Promise<ServiceEvent[]> {
  const { rows } = await db.query<{ body: string }>(
    'select body from sandbox.event where incident_id = $1 order by incident_sequence',
    [incidentId],
  )
  return rows.map(toEvent)
}

function toEvent({ body }: { body: string }): ServiceEvent {
  return serviceEvent.parse(JSON.parse(body))
}

const longestTimeline = 100

/** An event with the timeline of its incident: the newest 100 steps (R48, R49). */
export async function findDetailedEvent(
  db: Queryable,
  id: string,
): Promise<ServiceEvent | undefined> {
  const event = await findEvent(db, id)
  if (!event?.incident) return event
  const steps = await findSteps(db, event.incident.id)
  const timeline = steps.slice(-longestTimeline).map(toItem)
  const timelineTruncated = steps.length > longestTimeline
  return { ...event, incident: { ...event.incident, timeline, timelineTruncated } }
}

type TimelineItem = NonNullable<NonNullable<ServiceEvent['incident']>['timeline']>[number]

function toItem({ incident, ...event }: ServiceEvent): TimelineItem {
  return {
    id: event.id,
    eventType: event.eventType,
    phase: incident?.phase ?? 'context',
    sequence: incident?.sequence ?? 1,
    title: event.title,
    summary: event.summary ?? null,
    sourceUrl: event.sourceUrl,
    firstObservedAt: event.firstObservedAt,
    ...('sourcePublishedAt' in event && { sourcePublishedAt: event.sourcePublishedAt }),
    ...(incident && { status: incident.status }),
  }
}
