import type { HealthProblem } from '@feed-receiver/inbox'

/** The overview has banners of their own for a pause of the feed and for pauses of the inbox. */
const shownElsewhere: readonly HealthProblem['code'][] = ['deliveries_rejected', 'paused_long']

/** The warnings of the health that the overview shows as they are, such as slow handlers. */
export function otherWarnings(warnings: readonly HealthProblem[]): HealthProblem[] {
  return warnings.filter(({ code }) => !shownElsewhere.includes(code))
}
