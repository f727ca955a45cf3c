import type { DeliveryResult, Outcome } from '@feed-receiver/sender'
import { entriesOf } from '../texts.ts'

type Summary = ReturnType<typeof summarize>

/** Counts how deliveries ended. */
export function summarize(deliveries: number, outcomes: readonly Outcome[]) {
  const count = (result: DeliveryResult) =>
    outcomes.filter((outcome) => outcome.result === result).length
  return {
    deliveries,
    delivered: count('delivered'),
    /** Of the delivered ones, those that a receiver of this kit knew already. */
    duplicates: outcomes.filter(isDuplicate).length,
    paused: count('paused'),
    exhausted: count('exhausted'),
    test_failed: count('test_failed'),
    aborted: count('aborted'),
    /** Those that nothing was sent of. */
    notSent: deliveries - outcomes.length,
    attempts: outcomes.reduce((sum, { attempts }) => sum + attempts.length, 0),
  }
}

/** The summary as a line, without what there is none of. */
export function describeSummary({ duplicates, attempts, deliveries, ...summary }: Summary): string {
  const known = duplicates === 0 ? '' : ` (${duplicates} known already)`
  const parts = entriesOf(notDelivered).map(([name, what]) => {
    return summary[name] === 0 ? '' : `${summary[name]} ${what}, `
  })
  const tried = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
  return `${summary.delivered} of ${deliveries} delivered${known}, ${parts.join('')}${tried}`
}

const notDelivered = {
  paused: 'met a status that pauses the destination',
  exhausted: 'out of attempts',
  test_failed: 'failed as a test',
  aborted: 'broken off',
  notSent: 'not sent',
}

function isDuplicate({ result, attempts }: Outcome): boolean {
  const body = attempts.at(-1)?.responseBody ?? ''
  return result === 'delivered' && body.startsWith('{"status":"duplicate"')
}
