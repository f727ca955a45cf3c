import type { Queryable } from '@feed-receiver/database'
import type { ServiceEvent } from '../state/event-schema.ts'
import { findEvent, findSteps } from './find-events.ts'

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
