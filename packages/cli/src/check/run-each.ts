import { isError } from '@feed-receiver/core'
import json from './checks.json' with { type: 'json' }
import { isListening } from './in-time.ts'
import { procedures } from './procedures.ts'
import { restartChecks } from './restart.ts'
import type { Sent, Target } from './target.ts'
import { notRun, type CheckResult, type Run, type Verdict, judges, sending } from './verdict.ts'
import { entriesOf } from '../texts.ts'

// Copied, so that no declaration file imports JSON: TypeScript in the user's app rejects that.
const table = { ...json }

/** A check as in `checks.json`: its texts, which may share an advice, and the delivery to send. */
interface Row extends Partial<Record<keyof typeof judges, Sent>> {
  title: string
  why?: string
  fix?: string
  advice?: string
  /** Why it is sent in this form, for maintainers. */
  note?: string
}

/**
 * `gate`: in turn, and if one fails, the others do not run. `together`: concurrently. `in_turn`:
 * alone, so that a crash of the receiver belongs to this check.
 */
type Pace = keyof typeof table.checks

const advices: Record<string, { why: string; fix: string }> = table.advice
/** The checks that need code, by name. */
const coded = new Map<string, Run>(Object.entries({ ...procedures, ...restartChecks }))

/** Every check, in the order of the report. The names are stable across versions. */
export const checks = entriesOf(table.checks).flatMap(([pace, groups]) =>
  Object.entries<Record<string, Row>>(groups).flatMap(([group, rows]) =>
    Object.entries(rows).map(([name, row]) => {
      const { title, why = '', fix = '', advice = '' } = row
      const text = { name, group, title, ...(advices[advice] ?? { why, fix }) }
      const run = coded.get(name) ?? runOf(row)
      if (run) return { pace, text, run }
      throw new Error(`checks.json does not say what ${name} sends`)
    }),
  ),
)

function runOf(row: Row): Run | undefined {
  const [found] = entriesOf(judges).flatMap(([name, judge]) => {
    const sent = row[name]
    return sent ? [sending(judge, sent)] : []
  })
  return found
}

type Check = (typeof checks)[number]

// More would make a receiver with a small pool look slow.
const lanes = 8

interface RunEachOptions {
  deadlineMs: number
  onResult: (result: CheckResult) => void
  /** The names of the checks that run besides the gates. @default all */
  only?: ReadonlySet<string>
}

/**
 * Runs each check at the pace of its group, and returns the results in the order of the table. If a
 * failed check makes the others pointless, they do not run.
 *
 * @throws the reason of the target's signal.
 */
export async function runEach(
  target: Target,
  { deadlineMs, onResult, only }: RunEachOptions,
): Promise<CheckResult[]> {
  const { url, signal } = target
  const endsAt = performance.now() + deadlineMs
  const found = new Map<string, CheckResult>()
  let blockedBy: string | undefined

  await takeEach(ofPace('gate'))
  const together = ofPace('together', only)
  await Promise.all(Array.from({ length: lanes }, () => takeEach(together)))
  await takeEach(ofPace('in_turn', only))
  signal.throwIfAborted()
  return checks.flatMap(({ text }) => found.get(text.name) ?? [])

  async function takeEach(left: Iterable<Check>): Promise<void> {
    for (const check of left) {
      signal.throwIfAborted()
      if (performance.now() > endsAt) blockedBy ??= 'deadline'
      const result = blockedBy === undefined ? await run(check) : block(check, blockedBy)
      found.set(check.text.name, result)
      onResult(result)
    }
  }

  async function run({ pace, run: look, text }: Check): Promise<CheckResult> {
    const { brokenCount } = target
    const begunAt = performance.now()
    const verdict = await catching(look, target)
    const durationMs = Math.round(performance.now() - begunAt)
    // If it still listens, it has only closed this connection, or something has restarted it.
    const isGone = async () => target.brokenCount > brokenCount && !(await isListening(url, signal))
    const hasFailed = verdict.outcome === 'failed'
    if (hasFailed && (pace === 'gate' || (await isGone()))) blockedBy ??= text.name
    return { ...text, ...verdict, durationMs }
  }
}

/** An iterator that several loops can share. */
function ofPace(pace: Pace, only?: ReadonlySet<string>): Iterable<Check> {
  const isChosen = ({ text }: Check) => only === undefined || only.has(text.name)
  return checks.filter((check) => check.pace === pace && isChosen(check)).values()
}

async function catching(look: Run, target: Target): Promise<Verdict> {
  try {
    const { outcome, seen, trap } = await look(target)
    return { outcome, seen, ...(trap && { trap }) }
  } catch (error) {
    target.signal.throwIfAborted()
    // Reports an error of a restart or a count, because it says what to fix in the command or
    // database.
    const reason = isError(error) ? error.message : String(error)
    return { outcome: 'failed', seen: `the check itself failed: ${reason}` }
  }
}

function block({ text }: Check, blockedBy: string): CheckResult {
  const reason =
    blockedBy === 'deadline'
      ? 'The time limit of the run was reached.'
      : `Fix the failed check ${blockedBy} first.`
  return { ...text, ...notRun(reason), durationMs: 0, blockedBy }
}
