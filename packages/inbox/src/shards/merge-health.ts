import { withTimeout } from '../timeout.ts'
import type { Backlog, HealthOptions, InboxHealth } from '../admin/health.ts'
import { findLastPush, type GapCounts } from '../admin/gaps.ts'
import type { HealthProblem } from '../admin/problems.ts'
import { askAll, sayOfShard, type Shards } from './ask-shards.ts'
import { mergeRefusals } from './merge-answers.ts'
import { groupBy, sumCounts } from './sum-counts.ts'

const timeoutMs = 4_000

interface Asked {
  /** The gaps over all shards, which no shard can count by itself. */
  countGaps: () => Promise<GapCounts>
  /** Why a shard could not be opened; undefined while it is open. */
  failureOf: (shard: number) => string | undefined
}

/**
 * The health of all shards. Never rejects, and answers within five seconds. Counts cover the shards
 * that answer, and are inexact if one does not.
 */
export async function mergeHealth<AppTx>(
  shards: Shards<AppTx>,
  { countGaps, failureOf }: Asked,
  options?: HealthOptions,
): Promise<InboxHealth> {
  const late = () => new Error('late')
  const [ofShards, gaps, isAccepting] = await Promise.all([
    Promise.all(shards.all.map(({ inbox }) => inbox.health(options))),
    withTimeout(countGaps(), timeoutMs, late).catch(() => null),
    withTimeout(accepts(shards), timeoutMs, late).catch(() => (): boolean => false),
  ])
  const [first] = ofShards
  const lists = <Row>(rows: readonly (readonly Row[] | null)[]) => rows.flatMap((row) => row ?? [])
  const problems = ofShards.flatMap((health, index) =>
    health.problems.map((problem) => {
      const message = failureOf(index) ?? problem.message
      return { ...problem, message: sayOfShard(message, index, ofShards.length) }
    }),
  )
  const isKnown = ofShards.some(({ database }) => database === 'up')
  return {
    ok: ofShards.every(({ ok }) => ok),
    problems,
    warnings: mergeWarnings(ofShards, isAccepting),
    database: isKnown ? 'up' : 'down',
    error: ofShards.map(({ error }) => error).find((error) => error !== null) ?? null,
    queue: ofShards.every(({ queue }) => queue === 'up') ? 'up' : 'down',
    backlog: mergeBacklogs(ofShards.map(({ backlog }) => backlog)),
    dead: isKnown ? sumCounts(ofShards.map(({ dead }) => dead)) : null,
    quarantined: isKnown ? sumCounts(ofShards.map(({ quarantined }) => quarantined)) : null,
    gaps,
    pauses: isKnown ? firsts(lists(ofShards.map(({ pauses }) => pauses))) : null,
    refusals: isKnown ? mergeRefusals(ofShards.map(({ refusals }) => refusals ?? [])) : null,
    streams: first?.streams ?? null,
  }
}

function mergeBacklogs(ofShards: readonly (Backlog | null)[]): Backlog | null {
  const known = ofShards.flatMap((backlog) => backlog ?? [])
  if (known.length === 0) return null
  const ages = known.flatMap(({ oldestAgeSeconds }) => oldestAgeSeconds ?? [])
  return {
    waiting: sumCounts(ofShards.map((backlog) => backlog?.waiting)),
    paused: sumCounts(ofShards.map((backlog) => backlog?.paused)),
    later: sumCounts(ofShards.map((backlog) => backlog?.later)),
    running: sumCounts(ofShards.map((backlog) => backlog?.running)),
    oldestAgeSeconds: ages.length === 0 ? null : Math.max(...ages),
  }
}

/** A warning that all shards share appears once. */
function mergeWarnings(
  ofShards: readonly InboxHealth[],
  isAcceptedSince: (time: string) => boolean,
): HealthProblem[] {
  const warnings = ofShards.flatMap((health, index) => {
    // Deliveries accepted since then may have gone to any shard.
    const lastAt = health.refusals?.find(({ sender }) => sender === 'pause')?.lastAt
    const isOver = lastAt !== undefined && isAcceptedSince(lastAt)
    return health.warnings
      .filter(({ code }) => code !== 'deliveries_rejected' || !isOver)
      .map((warning) => ({ ...warning, index }))
  })
  return groupBy(warnings, ({ code, message }) => `${code} ${message}`).flatMap((rows) => {
    const [one] = rows
    if (!one) return []
    const { index, ...warning } = one
    const isOfAll = rows.length === ofShards.length || warning.code === 'deliveries_rejected'
    const message = isOfAll ? warning.message : sayOfShard(warning.message, index, ofShards.length)
    return { ...warning, message }
  })
}

/** Creates the function that says whether any shard has accepted a delivery since some time. */
async function accepts<AppTx>(shards: Shards<AppTx>): Promise<(time: string) => boolean> {
  const pushes = await askAll(shards, async ({ context }) => findLastPush(await context()))
  return (time) => pushes.some((push) => push !== null && new Date(push) > new Date(time))
}

function firsts<Row extends { type: string | null }>(rows: readonly Row[]): Row[] {
  return groupBy(rows, ({ type }) => type ?? '').flatMap(([row]) => row ?? [])
}
