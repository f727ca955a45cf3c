import type { DeliveryResult, Outcome } from '@feed-receiver/sender'

export interface Summary extends Record<DeliveryResult, number> {
  deliveries: number
  /** Of the delivered ones, those that a receiver of this kit knew already. */
  duplicates: number
  /** Those that nothing was sent of. */
  notSent: number
  attempts: number
}

/** Counts how deliveries ended. */
export function summarize(deliveries: number, outcomes: readonly Outcome[]): Summary {
  const count = (result: DeliveryResult) =>
    outcomes.filter((outcome) => outcome.result === result).length
  return {
    deliveries,
    delivered: count('delivered'),
    duplicates: outcomes.filter(isDuplicate).length,
    paused: count('paused'),
    exhausted: count('exhausted'),
    test_failed: count('test_failed'),
    aborted: count('aborted'),
    notSent: deliveries - outcomes.length,
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts.length, 0),
  }
}

/** The summary as a line, without what there is none of. */
export function describeSummary({ duplicates, attempts, deliveries, ...summary }: Summary): string {
  const known = duplicates === 0 ? '' : ` (${duplicates} known already)`
  const parts = [
    `${summary.delivered} of ${deliveries} delivered${known}`,
    part(summary.paused, 'met a status that pauses the destination'),
    part(summary.exhausted, 'out of attempts'),
    part(summary.test_failed, 'failed as a test'),
    part(summary.aborted, 'broken off'),
    part(summary.notSent, 'not sent'),
    `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
  ]
  return parts.filter(Boolean).join(', ')
}

function part(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}`
}

function isDuplicate({ result, attempts }: Outcome): boolean {
  const body = attempts.at(-1)?.responseBody ?? ''
  return result === 'delivered' && body.startsWith('{"status":"duplicate"')
}
