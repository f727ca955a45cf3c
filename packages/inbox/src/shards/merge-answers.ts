import type { Activity, ActivityStep, AsideStep } from '../admin/find-activity.ts'
import type { Pruned } from '../admin/prune.ts'
import type { RefusalRow } from '../admin/refusals.ts'
import type { SecretUse } from '../admin/secret-uses.ts'
import { groupBy, latestTime, sumCounts } from './sum-counts.ts'

const maxRecent = 10_000

/** One row per secret. It may be removed once another one has taken over on any shard. */
export function mergeSecrets(ofShards: readonly SecretUse[][]): SecretUse[] {
  const merged = groupBy(ofShards.flat(), ({ fingerprint }) => fingerprint).map((uses) => ({
    fingerprint: uses[0]?.fingerprint ?? '',
    firstSignedAt: uses.map((use) => use.firstSignedAt).toSorted()[0] ?? '',
    lastSignedAt: latestTime(uses.map((use) => use.lastSignedAt)) ?? '',
    recent: sumCounts(
      uses.map((use) => use.recent),
      maxRecent,
    ),
  }))
  return merged
    .map((use) => ({
      ...use,
      canBeRemoved: merged.some((later) => later.firstSignedAt > use.lastSignedAt),
    }))
    .toSorted((one, other) => other.lastSignedAt.localeCompare(one.lastSignedAt))
}

/** One row for each reason, with the status and the cause of the latest. */
export function mergeRefusals(ofShards: readonly RefusalRow[][]): RefusalRow[] {
  const byTime = ofShards.flat().toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  const merged = groupBy(byTime, ({ reason }) => reason).flatMap((rows) => {
    const [latest] = rows
    if (!latest) return []
    const cause = rows.find((row) => row.cause !== null)?.cause ?? null
    return { ...latest, cause, count: rows.reduce((sum, row) => sum + row.count, 0) }
  })
  const isPause = ({ sender }: RefusalRow) => sender === 'pause'
  return [...merged.filter(isPause), ...merged.filter((row) => !isPause(row))]
}

/**
 * Merges the activity of the shards that answered, since the time that each of them covers. Inexact
 * if one of the `count` shards is missing.
 */
export function mergeActivity(ofShards: readonly Activity[], count: number): Activity {
  const isWhole = ofShards.length === count
  const since = latestTime(ofShards.map((activity) => activity.since)) ?? ''
  const stepSeconds = ofShards[0]?.stepSeconds ?? 1
  const steps = ofShards
    .flatMap((activity) => activity.steps)
    .filter(({ at }) => Date.parse(at) + stepSeconds * 1_000 > Date.parse(since))
  const sum = (rows: readonly ActivityStep[], name: 'accepted' | 'duplicates' | 'pulled') =>
    rows.reduce((total, row) => total + row[name], 0)
  return {
    since,
    isExact: isWhole && ofShards.every((activity) => activity.isExact),
    stepSeconds,
    steps: groupBy(steps, ({ at, type, state }) => JSON.stringify([at, type, state]))
      .flatMap((rows) => {
        const [one] = rows
        if (!one) return []
        const duplicates = sum(rows, 'duplicates')
        return { ...one, accepted: sum(rows, 'accepted'), duplicates, pulled: sum(rows, 'pulled') }
      })
      .toSorted((one, other) => one.at.localeCompare(other.at)),
    lastDeliveryAt: latestTime(ofShards.map((activity) => activity.lastDeliveryAt)),
    failing: sumCounts([
      ...ofShards.map((activity) => activity.failing),
      ...(isWhole ? [] : [null]),
    ]),
    aside: mergeAside(ofShards.flatMap(({ aside }) => aside)),
  }
}

function mergeAside(steps: readonly AsideStep[]): AsideStep[] {
  return groupBy(steps, ({ at, outcome }) => `${at} ${outcome}`)
    .flatMap((rows) => rows.slice(0, 1).map((one) => ({ ...one, count: sumOf(rows) })))
    .toSorted((one, other) => one.at.localeCompare(other.at))
}

function sumOf(rows: readonly AsideStep[]): number {
  return rows.reduce((total, { count }) => total + count, 0)
}

export function sumPruned(ofShards: readonly Pruned[]): Pruned {
  return {
    emptied: ofShards.reduce((sum, one) => sum + one.emptied, 0),
    deleted: ofShards.reduce((sum, one) => sum + one.deleted, 0),
  }
}
