import type { Tx } from '@feed-receiver/database'
import type { EventContent, ServiceEvent } from './event-schema.ts'
import { layOver } from './lay-over.ts'

export type FeedChange = 'observed' | 'confirmed' | 'corrected' | 'retracted'

export interface PublishedEvent {
  event: ServiceEvent
  change: FeedChange
  /** @default now, by the sandbox's clock */
  at?: Date
}

/** Takes part in the transaction of every publication: alerts are selected together with it, or not. */
export type OnPublish = (tx: Tx, published: PublishedEvent[]) => Promise<void>

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
