import { createHash } from 'node:crypto'
import { isoTime } from '@feed-receiver/inbox/internal'
import type { InboxStore } from '@feed-receiver/inbox/extend'
import { checkOption, OperateError } from '../errors.ts'
import { countStoredTwice } from './count-stored-twice.ts'
import { findProblems, findUnhandled, type AuditProblem } from './find-problems.ts'
import { readPeriod, type AuditPeriod } from './period.ts'
import { readStatement, storeSignature } from './read-statement.ts'
import type { AuditStatement, AuditStream } from './read-statement.ts'
import { addCounts, type AuditCounts } from './counts.ts'

export interface AuditOptions {
  /**
   * The month in UTC, such as `2026-11`. The current one is reported until now.
   * @default the latest month that has ended
   */
  month?: string | undefined
  /**
   * A chain head that you recorded earlier, as 64 hexadecimal digits. If the recomputed head differs,
   * `problems` has `head_differs`.
   */
  expectedHead?: string | undefined
  /** Who signs the statement. Stored with the head and the counts, for later audits. */
  signedBy?: string | undefined
}

/** The report on the events of a month, over all shards. Times are ISO 8601 in UTC. */
export interface AuditReport {
  source: string
  month: string
  from: string
  /** The end of the month, or the time of the report if the month has not ended. */
  until: string
  isPartial: boolean
  /** Whether all days are sealed, so that the head no longer changes. */
  isSealed: boolean
  counts: AuditCounts & {
    /** Events that are stored more than once. */
    storedTwice: number
  }
  pull: PullCoverage
  /** The head of the chain in hex; of several shards, the SHA-256 over their heads in order. */
  head: string
  /** Empty if every event was stored and handled once, and nothing was changed since. */
  problems: AuditProblem[]
  /** One for each shard, in their order. */
  statements: AuditStatement[]
  /** When and by whom this report was signed; null unless `signedBy` was given. */
  signed: { by: string; at: string } | null
}

/** Reports on one inbox, or on several that are one. Errors: `bad_option`, `not_sealed`. */
export async function auditMonth(
  stores: readonly InboxStore[],
  { month, expectedHead, signedBy }: AuditOptions = {},
): Promise<AuditReport> {
  checkOption(
    expectedHead === undefined || /^[0-9a-f]{64}$/i.test(expectedHead),
    'expectedHead: use the 64 hexadecimal digits of a chain head.',
  )
  const isName = signedBy === undefined || signedBy.trim() !== ''
  checkOption(isName, 'signedBy: name the person who signs.')
  const period = readPeriod(month, await readNow(stores))
  const statements = await Promise.all(stores.map((store) => readStatement(store, period)))
  const head = joinHeads(statements.map((one) => one.head))
  const storedTwice = await countStoredTwice(stores, period)
  const counts = { ...addCounts(statements.map((one) => one.counts)), storedTwice }
  const expected = expectedHead?.toLowerCase() ?? head
  const proofs = [
    ...statements.flatMap((one, index) => ofShard(findProblems(one), index, statements.length)),
    ...(expected === head ? [] : [differingHead(head, expected)]),
  ]
  const { firstDay: _first, lastDay: _last, ...shown } = period
  const report = {
    source: stores[0]?.source ?? '',
    ...shown,
    isSealed: statements.every(({ isSealed }) => isSealed),
    counts,
    pull: coverageOf(
      period,
      statements.flatMap(({ streams }) => streams),
    ),
    head,
    problems: [...proofs, ...findUnhandled(counts, statements)],
    statements,
    signed: null,
  }
  if (signedBy === undefined) return report
  return { ...report, signed: await sign(stores, period, report, proofs, signedBy) }
}

/** Signs a statement whose head stays. Unhandled events do not prevent it, because it names them. */
async function sign(
  stores: readonly InboxStore[],
  { month }: AuditPeriod,
  { isSealed, statements }: Pick<AuditReport, 'isSealed' | 'statements'>,
  proofs: readonly AuditProblem[],
  by: string,
): Promise<{ by: string; at: string }> {
  if (!isSealed) {
    const message = `Not all days of ${month} are sealed, so its head may still change. Sign after the month has ended: workers seal each day after midnight UTC, and an audit seals too if its role may write.`
    throw new OperateError('not_sealed', message)
  }
  const [fault] = proofs
  if (fault) throw new OperateError('not_sealed', `${fault.message} Nothing was signed.`)
  for (const [index, store] of stores.entries()) {
    const statement = statements[index]
    if (statement) await storeSignature(store, month, { ...statement, by })
  }
  return { by, at: await readNow(stores) }
}

async function readNow([store]: readonly InboxStore[]): Promise<string> {
  const found = await store?.database.query<{ now: string }>(`select ${isoTime('now()')} as now`)
  return found?.rows[0]?.now ?? ''
}

function differingHead(head: string, expected: string): AuditProblem {
  const message = `The chain head is ${head}, and ${expected} was expected. Check the month and the inbox; otherwise rows and seals were rewritten.`
  return { code: 'head_differs', message }
}

function joinHeads(heads: readonly string[]): string {
  const [head = ''] = heads
  if (heads.length === 1) return head
  return createHash('sha256')
    .update(Buffer.from(heads.join(''), 'hex'))
    .digest('hex')
}

function ofShard(problems: AuditProblem[], index: number, count: number): AuditProblem[] {
  if (count === 1) return problems
  return problems.map(({ code, message }) => {
    return { code, message: `Shard ${index + 1} of ${count}: ${message}` }
  })
}

/**
 * How much of a period pull has read: `whole` if one stream has read all of it without a gap, with
 * the filters in its name; `part` or `none` otherwise.
 */
export type PullCoverage = 'whole' | 'part' | 'none'

/** A poller asks every few minutes. An hour without an answer is an outage. */
const mostLagMs = 3_600_000

function coverageOf(period: AuditPeriod, streams: readonly AuditStream[]): PullCoverage {
  if (streams.some((stream) => coversAll(period, stream))) return 'whole'
  const { from, until } = period
  const isPart = streams.some(
    ({ startedAt, polledAt }) => startedAt < until && polledAt !== null && polledAt > from,
  )
  return isPart ? 'part' : 'none'
}

function coversAll(
  { from, until, isPartial }: AuditPeriod,
  { startedAt, polledAt, gaps }: AuditStream,
): boolean {
  if (polledAt === null || startedAt > from || gaps.length > 0) return false
  return Date.parse(polledAt) >= Date.parse(until) - (isPartial ? mostLagMs : 0)
}
