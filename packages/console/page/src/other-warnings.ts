import type { HealthProblem, InboxHealth } from '@feed-receiver/inbox'

/** The overview has banners of their own for failed entries and for pauses. */
const shownElsewhere: readonly HealthProblem['code'][] = [
  'dead',
  'failure_rate',
  'deliveries_rejected',
  'paused_long',
]

/** The warnings of the health that the overview shows as they are, such as slow handlers. */
export function otherWarnings({
  warnings,
  gaps,
}: Pick<InboxHealth, 'warnings' | 'gaps'>): HealthProblem[] {
  const isShown = ({ code }: HealthProblem) =>
    shownElsewhere.includes(code) || (code === 'probable_pause' && gaps?.probablePause)
  return warnings.filter((warning) => !isShown(warning))
}
