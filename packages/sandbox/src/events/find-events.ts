import type { Queryable } from '@feed-receiver/database'
import { z } from 'zod'
import { action } from '../server/action.ts'
import { page } from '../state/fields.ts'
import { serviceEvent, serviceTimelineItem, type ServiceEvent } from '../state/service-event.ts'

export async function selectEvent(db: Queryable, id: string): Promise<ServiceEvent | undefined> {
  return (await selectEvents(db, 'where id = $1', [id]))[0]?.event
}

/**
 * The last step of the provider's newest unresolved incident, with the highest number of its steps.
 * A retracted step counts only for that number. If the first one is retracted, so is the incident.
 */
export async function findOpenStep(
  db: Queryable,
  provider: string,
): Promise<ServiceEvent | undefined> {
  const open = `
    where provider = $1 and incident_id is not null and type <> 'outage_resolved'
      and not ${isRetracted('event')}
      and not exists (
        select from sandbox.event other
        where other.incident_id = event.incident_id
          and case when ${isRetracted('other')} then other.incident_sequence = 1
            else other.incident_sequence > event.incident_sequence end
      )
    order by position desc limit 1`
  const [last] = await selectEvents(db, open, [provider])
  if (!last?.event.incident) return undefined
  const { incident } = last.event
  const highest = 'where incident_id = $1 order by incident_sequence desc limit 1'
  const [newest] = await selectEvents(db, highest, [incident.id])
  const { sequence } = newest?.event.incident ?? incident
  return { ...last.event, incident: { ...incident, sequence } }
}

/** As SQL. A title cannot contain this text, because its quotes are escaped in JSON. */
function isRetracted(row: string): string {
  return `${row}.body like '%"retractedAt":"%'`
}

export const listEvents = action(
  'Lists events in their current state, by position in the feed, newest first.',
  page,
  async ({ database }, { before, limit = 100 }) => {
    const newest = 'where $1::bigint is null or position < $1 order by position desc limit $2'
    const rows = await selectEvents(database, newest, [before, limit])
    return rows.map(({ position, event }) => ({ ...event, position }))
  },
)

async function selectEvents(db: Queryable, which: string, values: unknown[]) {
  const text = `select position, body from sandbox.event ${which}`
  const { rows } = await db.query<{ position: number; body: string }>(text, values)
  return rows.map(({ position, body }) => ({
    position,
    event: serviceEvent.parse(JSON.parse(body)),
  }))
}

const longestTimeline = 100

export const findEvent = action(
  'Finds an event, with the timeline of its incident.',
  z.object({ id: serviceEvent.shape.id }),
  async ({ database }, { id }): Promise<ServiceEvent | undefined> => {
    const event = await selectEvent(database, id)
    if (!event?.incident) return event
    const ofIncident = 'where incident_id = $1 order by incident_sequence'
    const steps = await selectEvents(database, ofIncident, [event.incident.id])
    const timeline = steps
      .slice(-longestTimeline)
      .map((step) =>
        serviceTimelineItem.parse({ summary: null, ...step.event.incident, ...step.event }),
      )
    const timelineTruncated = steps.length > longestTimeline
    return { ...event, incident: { ...event.incident, timeline, timelineTruncated } }
  },
  { finds: 'event' },
)
