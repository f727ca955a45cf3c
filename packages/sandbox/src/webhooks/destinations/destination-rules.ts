import { z } from 'zod'
import type { ServiceEvent } from '../../state/event-schema.ts'
import { plainText } from '../../state/plain-text.ts'

const names = z.array(plainText(200)).max(100)

/** Which events a destination is alerted of (R216). An empty list, or none, means all. */
export const destinationRules = z.strictObject({
  providers: names.optional(),
  categories: names.optional(),
  /** `outage` stands for every step of an outage, as in the API (T8). */
  types: names.optional(),
  /** `all` adds early signals (R217). */
  confirmation: z.enum(['confirmed', 'all']).optional(),
})

export type RuleChanges = z.infer<typeof destinationRules>

export interface DestinationRules {
  providers: string[]
  categories: string[]
  types: string[]
  confirmation: 'confirmed' | 'all'
}

type Judged = Pick<ServiceEvent, 'providerSlug' | 'category' | 'eventType' | 'confirmationState'>

export function isSelected(rules: DestinationRules, event: Judged): boolean {
  return (
    (rules.confirmation === 'all' || event.confirmationState === 'confirmed') &&
    isAmong(rules.providers, event.providerSlug) &&
    isAmong(rules.categories, event.category ?? 'other') &&
    (isAmong(rules.types, event.eventType) ||
      (rules.types.includes('outage') && event.eventType.startsWith('outage_')))
  )
}

function isAmong(listed: string[], name: string): boolean {
  return listed.length === 0 || listed.includes(name)
}
