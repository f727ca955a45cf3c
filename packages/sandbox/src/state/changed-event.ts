import type { EventContent, ServiceEvent } from './event-schema.ts'
import { layOver } from './lay-over.ts'

/** The same event, now established. */
export function confirmed(event: ServiceEvent): ServiceEvent {
  return { ...event, confirmationState: 'confirmed' }
}

/** Newer content, and the time since when. */
export function corrected(event: ServiceEvent, content: EventContent, at: Date): ServiceEvent {
  return layOver(event, { ...content, correctedAt: at.toISOString() })
}

/** It stays listed, with the time since when it does not hold. */
export function retracted(event: ServiceEvent, at: Date): ServiceEvent {
  return { ...event, retractedAt: at.toISOString() }
}
