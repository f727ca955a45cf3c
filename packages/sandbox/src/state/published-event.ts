import type { Tx } from '@feed-receiver/database'
import type { EventContent, ServiceEvent } from './event-schema.ts'

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

/** A copy of `base` with what `changes` gives in place; what is undefined there stays as it was. */
export function layOver<Whole extends object>(
  base: Whole,
  changes: { [Name in keyof Whole]?: Whole[Name] | undefined },
): Whole {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return Object.assign({ ...base }, Object.fromEntries(given))
}
