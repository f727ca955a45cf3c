import { z } from 'zod'
import type { ServiceEvent } from '../../state/event-schema.ts'
import { plainText } from '../../state/fields.ts'

const names = z.array(plainText(200)).max(100)

const allRules = z.strictObject({
  providers: names,
  categories: names,
  /** `outage` stands for every step of an outage, as in the API (T8). */
  types: names,
  /** `all` adds early signals (R217). */
  confirmation: z.enum(['confirmed', 'all']),
})

/** Which events a destination is alerted of (R216). An empty list, or none, means all. */
export const destinationRules = allRules.partial()

export type DestinationRules = z.infer<typeof allRules>
export type RuleChanges = z.infer<typeof destinationRules>

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
