import {
  apiEventSchema,
  confirmationStates,
  incidentPhases,
  incidentSchema,
  sourcePrecisions,
  timelineItemSchema,
  type ApiEvent,
} from '@feed-receiver/client/internal'
import { z } from 'zod'
import { absoluteUri, dateTime, plainText, slug } from './fields.ts'

const text = z.string()
const key = plainText(200)
const sourceTime = dateTime.nullable().optional()
// The maximum is that of a PostgreSQL integer.
const sequence = z.int().min(1).max(2_147_483_647)
const precision = z.enum(sourcePrecisions).nullable().optional()
const evidence = z
  .record(text, z.unknown())
  .refine((object) => Object.keys(object).length <= 50, 'expected at most 50 properties')
  .meta({ maxProperties: 50 })

export const serviceTimelineItem = z.object({
  ...timelineItemSchema.shape,
  phase: z.enum(incidentPhases),
  sequence,
  sourceUrl: absoluteUri,
  firstObservedAt: dateTime,
  sourcePublishedAt: sourceTime,
  status: text.optional(),
})

export const serviceIncident = z.object({
  ...incidentSchema.shape,
  id: key,
  sourceIncidentId: text.optional(),
  phase: z.enum(incidentPhases),
  sequence,
  startedAt: dateTime.nullable(),
  updatedAt: dateTime.nullable(),
  resolvedAt: dateTime.nullable(),
  root: z.object({
    ...incidentSchema.shape.root.shape,
    sourceUrl: absoluteUri,
    firstObservedAt: dateTime,
  }),
  timeline: z.array(serviceTimelineItem).max(100).optional(),
  timelineTruncated: z.boolean().optional(),
})

/**
 * An event as the service promises it. Clients accept a wider form, which is in core. Every
 * event is checked against this before it is stored.
 */
export const serviceEvent = z.object({
  ...apiEventSchema.shape,
  providerSlug: slug,
  eventType: key,
  category: text.optional(),
  sourceUrl: absoluteUri,
  canonicalUrl: absoluteUri.nullable().optional(),
  confirmationState: z.enum(confirmationStates),
  firstObservedAt: dateTime,
  sourcePublishedAt: sourceTime,
  sourceUpdatedAt: sourceTime,
  sourcePublishedPrecision: precision,
  sourceUpdatedPrecision: precision,
  correctedAt: dateTime.nullable().optional(),
  retractedAt: dateTime.nullable().optional(),
  benchmark: z
    .strictObject({ current: evidence.nullable(), previous: evidence.nullable() })
    .partial()
    .optional(),
  incident: serviceIncident.optional(),
}) satisfies z.ZodType<ApiEvent>

export type ServiceEvent = z.infer<typeof serviceEvent>

/** The members that a correction may replace. The id, the type and the provider stay. */
export const eventContent = serviceEvent
  .pick({
    title: true,
    summary: true,
    category: true,
    subjectType: true,
    subjectKey: true,
    sourceUrl: true,
    evidenceState: true,
  })
  .partial()
  .strict()

export type EventContent = z.infer<typeof eventContent>

export type FeedChange = 'observed' | 'confirmed' | 'corrected' | 'retracted'

export interface PublishedEvent {
  event: ServiceEvent
  change: FeedChange
  /** @default now, by the sandbox's clock */
  at?: Date
}

/** The event after a change: confirmed, corrected or retracted at that time. */
export function applyChange(
  event: ServiceEvent,
  change: Exclude<FeedChange, 'observed'>,
  at: Date,
  content: EventContent = {},
): Required<PublishedEvent> {
  const time = at.toISOString()
  const changes = {
    confirmed: { confirmationState: 'confirmed' },
    corrected: { ...content, correctedAt: time },
    // It stays listed.
    retracted: { retractedAt: time },
  } as const
  return { event: assignDefined<ServiceEvent>(event, changes[change]), change, at }
}

/** A copy of `base` with the members of `changes`. Undefined members leave those of `base`. */
export function assignDefined<Whole extends object>(
  base: Whole,
  changes: { [Name in keyof Whole]?: Whole[Name] | undefined },
): Whole {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.assign({ ...base }, Object.fromEntries(given))
}
