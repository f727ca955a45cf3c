import { z } from 'zod'
import { text, time, uri } from './formats.ts'

export const incidentPhases = ['started', 'updated', 'resolved', 'context'] as const

export type IncidentPhase = (typeof incidentPhases)[number] | (string & {})

/** The thread of an outage that an event belongs to (R39–R50). */
export interface Incident {
  /** Of the thread; never an event's id. */
  id: string
  /** The provider's own id, only where the source makes its disclosure safe. */
  sourceIncidentId?: string | null | undefined
  rootEventId: string
  phase: IncidentPhase
  /** The place of this event in its thread: what to order by, with gaps tolerated (R43, T20). */
  sequence: number
  receiptCount: number
  status: string
  startedAt: string | null
  updatedAt: string | null
  resolvedAt: string | null
  root: IncidentRoot
  /** On detailed reads only: the newest 100 steps. */
  timeline?: TimelineItem[] | null | undefined
  timelineTruncated?: boolean | null | undefined
}

export interface IncidentRoot {
  id: string
  title: string
  summary: string | null
  sourceUrl: string
  firstObservedAt: string
}

export interface TimelineItem {
  id: string
  eventType: string
  phase: IncidentPhase
  sequence: number
  title: string
  summary: string | null
  sourceUrl: string
  firstObservedAt: string
  sourcePublishedAt?: string | null | undefined
  status?: string | null | undefined
}

const count = z.int().min(1)

export const timelineItemSchema = z.looseObject({
  id: text,
  eventType: text,
  phase: text,
  sequence: count,
  title: text,
  summary: text.nullable(),
  sourceUrl: uri,
  firstObservedAt: time,
  sourcePublishedAt: time.nullish(),
  status: text.nullish(),
}) satisfies z.ZodType<TimelineItem>

/** What a consumer takes for an incident: unknown members and phases are kept, never refused. */
export const incidentSchema = z.looseObject({
  id: text,
  sourceIncidentId: text.nullish(),
  rootEventId: text,
  phase: text,
  sequence: count,
  receiptCount: count,
  status: text,
  startedAt: time.nullable(),
  updatedAt: time.nullable(),
  resolvedAt: time.nullable(),
  root: z.looseObject({
    id: text,
    title: text,
    summary: text.nullable(),
    sourceUrl: uri,
    firstObservedAt: time,
  }),
  timeline: z.array(timelineItemSchema).nullish(),
  timelineTruncated: z.boolean().nullish(),
}) satisfies z.ZodType<Incident>
