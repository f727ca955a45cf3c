import { bounded, type AlertInputs } from './alert-inputs.ts'
import { fixOf, meaningOf } from '../admin/rejections.ts'

/**
 * Finds the rejection that has probably paused the feed: its status pauses, no delivery has been
 * accepted since, and it went to what is the service. An unknown, missing or malformed signature
 * proves nothing, because anybody can send one, a test of yours too. Then only what the feed does
 * shows a pause: push misses events that pull has seen, or is silent for much longer than usual.
 */
export function findPausing(inputs: AlertInputs) {
  const { rejected, acceptedAt, unpushed } = inputs
  // Everything that only the holder of a secret can cause, or that your own code rejects.
  const certain = rejected.find(({ reason }) => meaningOf(reason)?.notFromService !== true)
  const pausing = certain ?? rejected[0]
  if (!pausing) return undefined
  const withEvidence = (evidence: string) => ({ ...pausing, fix: fixOf(pausing.reason), evidence })
  if (certain) return withEvidence('It has accepted no delivery since')
  if (unpushed > 0)
    return withEvidence(`Push has missed ${bounded(unpushed)} events since its last delivery`)
  if (acceptedAt === null) return undefined
  return isUnusuallyQuiet({ ...inputs, lastPushAt: new Date(acceptedAt) }) === true
    ? withEvidence(`It has accepted no delivery since ${acceptedAt}, longer than usual`)
    : undefined
}

/**
 * Whether push has been silent for more than 1.5 times its longest silence in two weeks, plus an
 * hour; undefined if there is too little data.
 */
export function isUnusuallyQuiet({
  asOf,
  lastPushAt,
  usualQuietHours,
}: Pick<AlertInputs, 'asOf' | 'lastPushAt' | 'usualQuietHours'>) {
  if (lastPushAt === null || usualQuietHours === null) return undefined
  return hoursBetween(lastPushAt, asOf) > usualQuietHours * 1.5 + 1
}

export function hoursBetween(since: Date, until: Date): number {
  return (until.getTime() - since.getTime()) / 3_600_000
}
