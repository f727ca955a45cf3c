import { withContext } from '@feed-receiver/inbox/extend'
import { findLastPush as findLastPushOf } from '@feed-receiver/inbox/internal'
import type { BoundedCount, GapCounts, GapsAsOf } from '@feed-receiver/inbox'
import { askAll, type Shards } from './ask-shards.ts'

/** The bound of the counts of an inbox. */
const countUpTo = 1_000
const pageSize = 500

/** The gaps of all shards. Errors: `shard_failed`. */
export async function countGaps<AppTx>(
  shards: Shards<AppTx>,
  { asOf = new Date() }: GapsAsOf = {},
): Promise<GapCounts> {
  const counts = await askAll(shards, ({ inbox }) => inbox.gaps.count({ asOf }))
  const isPaused = counts.some(({ probablePause }) => probablePause !== null)
  return {
    missed: sumCounts(counts.map(({ missed }) => missed)),
    pullOnly: sumCounts(counts.map(({ pullOnly }) => pullOnly)),
    probablePause: isPaused ? await findPause(shards, asOf) : null,
  }
}

/** A shard knows only its own pushes, so its pause counts if no shard had a later one. */
async function findPause<AppTx>(
  shards: Shards<AppTx>,
  asOf: Date,
): Promise<GapCounts['probablePause']> {
  const lastPush = await findLastPush(shards)
  const counts = await askAll(shards, async ({ inbox }) => {
    const { gaps, next } = await inbox.gaps.list({ asOf, limit: pageSize })
    const count = gaps.filter(({ pulledAt }) => isAfter(pulledAt, lastPush)).length
    return { count, isExact: count < gaps.length || next === null }
  })
  const missed = sumCounts(counts)
  if (missed.count === 0) return null
  return { missed, lastPushAt: lastPush?.toISOString() ?? null }
}

function isAfter(time: string, push: Date | null): boolean {
  return push === null || new Date(time) > push
}

/** When push last delivered an event to any shard, as far as known; null if it never did. */
export async function findLastPush<AppTx>(shards: Shards<AppTx>): Promise<Date | null> {
  const pushes = await askAll(shards, ({ inbox }) => withContext(inbox, findLastPushOf))
  const times = pushes.flatMap((at) => (at === null ? [] : Date.parse(at)))
  return times.length === 0 ? null : new Date(Math.max(...times))
}

/** Adds up bounded counts, to the same bound. With an unknown count, the sum is a minimum. */
export function sumCounts(counts: readonly (BoundedCount | null | undefined)[]): BoundedCount {
  const sum = counts.reduce((total, one) => total + (one?.count ?? 0), 0)
  const isExact = sum <= countUpTo && counts.every((one) => one?.isExact === true)
  return { count: Math.min(sum, countUpTo), isExact }
}
