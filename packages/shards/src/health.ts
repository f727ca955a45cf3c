import { setTimeout as delay } from 'node:timers/promises'
import type {
  Backlog,
  BoundedCount,
  HealthOptions,
  HealthProblem,
  InboxHealth,
  RejectionRow,
} from '@feed-receiver/inbox'
import { nameShard, type Shards } from './ask-shards.ts'
import { countGaps, findLastPush, sumCounts } from './gaps.ts'

const timeoutMs = 4_000

/**
 * The health of all shards. Never rejects, and answers within five seconds. Counts cover the shards
 * that answer, and are inexact if one does not. `failureOf` says why a shard could not be opened.
 */
export async function mergeHealth<AppTx>(
  shards: Shards<AppTx>,
  failureOf: (shard: number) => string | undefined,
  options?: HealthOptions,
): Promise<InboxHealth> {
  const [ofShards, gaps, lastPush] = await Promise.all([
    Promise.all(shards.all.map(({ inbox }) => inbox.health(options))),
    orNull(countGaps(shards)),
    orNull(findLastPush(shards)),
  ])
  const [first] = ofShards
  const problems = ofShards.flatMap((health, index) =>
    health.problems.map((problem) => {
      const message = failureOf(index) ?? problem.message
      return { ...problem, message: nameShard(message, index, ofShards.length) }
    }),
  )
  const pauses = ofShards.flatMap((health) => health.pauses ?? [])
  const rejections = ofShards.flatMap((health) => health.rejections ?? [])
  const isKnown = ofShards.some(({ database }) => database === 'up')
  const ifKnown = <Value>(value: Value): Value | null => (isKnown ? value : null)
  return {
    ok: ofShards.every(({ ok }) => ok),
    problems,
    warnings: mergeWarnings(ofShards, lastPush),
    database: isKnown ? 'up' : 'down',
    error: ofShards.map(({ error }) => error).find((error) => error !== null) ?? null,
    queue: ofShards.every(({ queue }) => queue === 'up') ? 'up' : 'down',
    backlog: mergeBacklogs(ofShards.map(({ backlog }) => backlog)),
    dead: ifKnown(sumCounts(ofShards.map(({ dead }) => dead))),
    quarantined: ifKnown(sumCounts(ofShards.map(({ quarantined }) => quarantined))),
    gaps,
    pauses: ifKnown(firstOfEach(pauses, ({ type }) => type ?? '')),
    rejections: ifKnown(mergeRejections(rejections)),
    streams: first?.streams ?? null,
  }
}

/** Null if it fails or takes too long. */
async function orNull<T>(waiting: Promise<T>): Promise<T | null> {
  const late = delay(timeoutMs, null, { ref: false })
  return await Promise.race([waiting.catch(() => null), late])
}

function mergeBacklogs(ofShards: readonly (Backlog | null)[]): Backlog | null {
  const known = ofShards.flatMap((backlog) => backlog ?? [])
  if (known.length === 0) return null
  const ages = known.flatMap(({ oldestAgeSeconds }) => oldestAgeSeconds ?? [])
  const sum = (name: Exclude<keyof Backlog, 'oldestAgeSeconds'>): BoundedCount =>
    sumCounts(ofShards.map((backlog) => backlog?.[name]))
  return {
    waiting: sum('waiting'),
    paused: sum('paused'),
    later: sum('later'),
    running: sum('running'),
    oldestAgeSeconds: ages.length === 0 ? null : Math.max(...ages),
  }
}

/** A warning that all shards share appears once. */
function mergeWarnings(ofShards: readonly InboxHealth[], lastPush: Date | null): HealthProblem[] {
  const count = ofShards.length
  const warnings = ofShards.flatMap((health, index) => {
    // Deliveries accepted since then may have gone to any shard.
    const lastAt = health.rejections?.find(({ sender }) => sender === 'pause')?.lastAt
    const isOver = lastAt !== undefined && lastPush !== null && lastPush > new Date(lastAt)
    return health.warnings
      .filter(({ code }) => code !== 'deliveries_rejected' || !isOver)
      .map((warning) => ({ warning, index }))
  })
  const textOf = ({ warning: { code, message } }: (typeof warnings)[number]) => `${code} ${message}`
  return firstOfEach(warnings, textOf).map((one) => {
    const { warning, index } = one
    const same = warnings.filter((other) => textOf(other) === textOf(one))
    const isOfAll = same.length === count || warning.code === 'deliveries_rejected'
    return isOfAll ? warning : { ...warning, message: nameShard(warning.message, index, count) }
  })
}

/** One row for each reason, with the status and the cause of the latest. */
function mergeRejections(rows: readonly RejectionRow[]): RejectionRow[] {
  const latestFirst = rows.toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
  const merged = firstOfEach(latestFirst, ({ reason }) => reason).map((latest) => {
    const same = latestFirst.filter(({ reason }) => reason === latest.reason)
    const cause = same.find((row) => row.cause !== null)?.cause ?? null
    return { ...latest, cause, count: same.reduce((sum, { count }) => sum + count, 0) }
  })
  const isPause = ({ sender }: RejectionRow) => sender === 'pause'
  return [...merged.filter(isPause), ...merged.filter((row) => !isPause(row))]
}

function firstOfEach<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  const firsts = new Map<string, Row>()
  for (const row of rows) if (!firsts.has(keyOf(row))) firsts.set(keyOf(row), row)
  return [...firsts.values()]
}
