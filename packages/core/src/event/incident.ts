import { z } from 'zod'
import { object, openText, text, time, uri } from './formats.ts'

export const incidentPhases = ['started', 'updated', 'resolved', 'context'] as const

export type IncidentPhase = (typeof incidentPhases)[number] | (string & {})

const phase = openText<(typeof incidentPhases)[number]>()
const count = z.int().min(1)
const step = {
  id: text,
  title: text,
  summary: text.nullable(),
  sourceUrl: uri,
  firstObservedAt: time,
}

export const timelineItemSchema = object({
  ...step,
  eventType: text,
  phase,
  sequence: count,
  sourcePublishedAt: time.nullish(),
  status: text.nullish(),
})

export type TimelineItem = z.infer<typeof timelineItemSchema>

const incidentRoot = object(step)

export type IncidentRoot = z.infer<typeof incidentRoot>

/** The thread of an outage that an event belongs to (R39–R50). */
export const incidentSchema = object({
  /** Of the thread; never an event's id. */
  id: text,
  /** The provider's own id, only where the source makes its disclosure safe. */
  sourceIncidentId: text.nullish(),
  rootEventId: text,
  phase,
  /** The place of this event in its thread: what to order by, with gaps tolerated (R43). */
  sequence: count,
  receiptCount: count,
  status: text,
  startedAt: time.nullable(),
  updatedAt: time.nullable(),
  resolvedAt: time.nullable(),
  root: incidentRoot,
  /** On detailed reads only: the newest 100 steps. */
  timeline: z.array(timelineItemSchema).nullish(),
  timelineTruncated: z.boolean().nullish(),
})

export type Incident = z.infer<typeof incidentSchema>
