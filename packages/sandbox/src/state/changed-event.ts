import type { ServiceEvent } from './event-schema.ts'
import { layOver } from './lay-over.ts'

/** What a correction may replace. The id, the type and the provider stay (R37). */
export type EventContent = { [Name in ContentMember]?: ServiceEvent[Name] | undefined }

type ContentMember =
  | 'title'
  | 'summary'
  | 'category'
  | 'subjectType'
  | 'subjectKey'
  | 'sourceUrl'
  | 'evidenceState'

/** D-C1: the same event, now established. */
export function confirmed(event: ServiceEvent): ServiceEvent {
  return { ...event, confirmationState: 'confirmed' }
}

/** D-C2: newer content, and the time since when. */
export function corrected(event: ServiceEvent, content: EventContent, at: Date): ServiceEvent {
  return layOver(event, { ...content, correctedAt: at.toISOString() })
}

/** D-C3: it stays listed, with the time since when it does not hold. */
export function retracted(event: ServiceEvent, at: Date): ServiceEvent {
  return { ...event, retractedAt: at.toISOString() }
}
