import { createHash } from 'node:crypto'
import { isoTime } from '../entry/sql.ts'
import { checkOption, InboxError, problem } from '../errors.ts'
import type { InboxStore } from '../context.ts'
import { readStatement, type AuditStatement } from './read-statement.ts'
import { countDoubled } from './count-doubled.ts'
import { coverageOf, type PullCoverage } from './coverage.ts'
import { findProblems, findUnhandled, problemOf, type AuditProblem } from './find-problems.ts'
import { readPeriod, type AuditPeriod } from './period.ts'
import { storeSignature } from './signatures.ts'
import { addCounts, type AuditCounts } from './tally.ts'

export interface AuditOptions {
  /**
   * The month in UTC, such as `2026-11`. The current one is reported until now.
   * @default the latest month that has ended
   */
  month?: string | undefined
  /** The head that somebody wrote down, in hex. Another one is a problem. */
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
    doubled: number
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

/** Runs a function on all shards, or on the one inbox. */
export type AskStores = <Answer>(ask: (context: InboxStore) => Promise<Answer>) => Promise<Answer[]>

/** Reports on one inbox. Errors: `bad_option`, `not_sealed`. */
export async function auditMonth(
  context: InboxStore,
  options?: AuditOptions,
): Promise<AuditReport> {
  return await auditStores(async (ask) => [await ask(context)], options)
}

/** Reports on several inboxes that are one. Errors: `bad_option`, `not_sealed`. */
export async function auditStores(
  askAll: AskStores,
  { month, expectedHead, signedBy }: AuditOptions = {},
): Promise<AuditReport> {
  checkOption(
    expectedHead === undefined || /^[0-9a-f]{64}$/i.test(expectedHead),
    'expectedHead: use the 64 hexadecimal digits of a chain head.',
  )
  const isName = signedBy === undefined || signedBy.trim() !== ''
  checkOption(isName, 'signedBy: name the person who signs.')
  const [now = ''] = await askAll(readNow)
  const period = readPeriod(month, now)
  const statements = await askAll((context) => readStatement(context, period))
  const contexts = await askAll((context) => Promise.resolve(context))
  const head = joinHeads(statements.map((one) => one.head))
  const doubled = await countDoubled(contexts, period)
  const counts = { ...addCounts(statements.map((one) => one.counts)), doubled }
  const expected = expectedHead?.toLowerCase() ?? head
  const proofs = [
    ...statements.flatMap((one, index) => ofShard(findProblems(one), index, statements.length)),
    ...(expected === head ? [] : [problemOf('head_differs', { head, expected })]),
  ]
  const { firstDay: _first, lastDay: _last, ...shown } = period
  const report = {
    source: contexts[0]?.source ?? '',
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
  return { ...report, signed: await sign(askAll, period, report, proofs, signedBy) }
}

/** Signs a statement whose head stays. Unhandled events do not prevent it, because it names them. */
async function sign(
  askAll: AskStores,
  { month }: AuditPeriod,
  { isSealed, statements }: Pick<AuditReport, 'isSealed' | 'statements'>,
  proofs: readonly AuditProblem[],
  by: string,
): Promise<{ by: string; at: string }> {
  if (!isSealed) throw problem('not_sealed', { month })
  const [fault] = proofs
  if (fault) throw new InboxError('not_sealed', `${fault.message} Nothing was signed.`)
  const contexts = await askAll((context) => Promise.resolve(context))
  for (const [index, context] of contexts.entries()) {
    const statement = statements[index]
    if (statement) await storeSignature(context, month, { ...statement, by })
  }
  const [at = ''] = await askAll(readNow)
  return { by, at }
}

async function readNow({ database }: InboxStore): Promise<string> {
  const { rows } = await database.query<{ now: string }>(`select ${isoTime('now()')} as now`)
  return rows[0]?.now ?? ''
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
