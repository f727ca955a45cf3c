import { classify } from '@feed-receiver/sender/internal'
import { STATUS_CODES } from 'node:http'
import type { Trap } from '../traps/find-trap.ts'
import { requestLimitMs, type Answer } from './send-request.ts'
import type { Delivery, Target } from './target.ts'

export type Outcome = 'passed' | 'warning' | 'failed' | 'not_run'

export interface Verdict {
  outcome: Outcome
  /**
   * The observation, or why the check did not run. Contains no secret, no signature and no body.
   */
  seen: string
  /** The program that responded instead of the receiver, if a bad response shows it. */
  trap?: Trap
}

export type Run = (target: Target) => Promise<Verdict>

/**
 * `gate`: in turn, and if one fails, the others do not run. `together`: concurrently. `in_turn`:
 * alone, so that a crash of the receiver belongs to this check.
 */
export type Pace = 'gate' | 'together' | 'in_turn'

export interface Check {
  /** Stable across versions. */
  name: string
  group: string
  pace: Pace
  title: string
  /** The consequence in production if the check fails. */
  why: string
  fix: string
  run: Run
}

export interface CheckResult extends Verdict, Omit<Check, 'pace' | 'run'> {
  durationMs: number
  /** The check whose failure made this one pointless, or `deadline`. */
  blockedBy?: string
}

export function group(
  name: string,
  pace: Pace,
  rows: Record<string, Pick<Check, 'title' | 'why' | 'fix' | 'run'>>,
): Check[] {
  return Object.entries(rows).map(([own, row]) => ({ name: own, group: name, pace, ...row }))
}

type Expectation = (answer: Answer) => Verdict

/** Creates an expectation that reports the response beside its outcome. */
export function expectation(outcomeOf: (answer: Answer) => Outcome): Expectation {
  return (answer) => {
    const outcome = outcomeOf(answer)
    const trap = answer.status === null || outcome === 'passed' ? undefined : answer.trap
    return { outcome, seen: describeAnswer(answer), ...(trap && { trap }) }
  }
}

/** An authentic delivery gets 2xx. */
export const accepted = expectation((answer) => (isAccepted(answer) ? 'passed' : 'failed'))

/**
 * A genuine delivery that cannot be handled is quarantined at best, but must not pause the feed.
 */
export const notPausing = expectation((answer) => {
  if (isAccepted(answer)) return 'passed'
  return answer.status === null || isPausing(answer) ? 'failed' : 'warning'
})

/** A forged delivery gets any 4xx: after a 5xx the service would retry it. */
export const rejected = expectation((answer) => (hasStatus(answer, 400, 499) ? 'passed' : 'failed'))

/** The service never sends this form: rejecting it is right, accepting it is only lax. */
export const rejectedOrLax = expectation((answer) =>
  isAccepted(answer) ? 'warning' : rejected(answer).outcome,
)

/** A genuine delivery outside the tolerance is rejected, preferably without a pause. */
export const rejectedAsStale = expectation((answer) => {
  if (answer.status === null || isAccepted(answer)) return 'failed'
  return isPausing(answer) ? 'warning' : 'passed'
})

export const answered = expectation(({ status }) => (status === null ? 'failed' : 'passed'))

export const notRedirected = expectation((answer) =>
  answer.status === null || hasStatus(answer, 300, 399) ? 'failed' : 'passed',
)

export const acceptedInTime = expectation((answer) =>
  answer.durationMs > 10_000 ? 'failed' : accepted(answer).outcome,
)

export function sending(expect: Expectation, delivery: Delivery): Run {
  return async ({ deliver }) => expect(await deliver(delivery))
}

/** A check that sends several deliveries concurrently, by their labels. */
export function sendingEach(expect: Expectation, deliveries: Record<string, Delivery>): Run {
  return async ({ deliver }) => {
    const sent = Object.entries(deliveries).map(([label, one]) => [label, deliver(one)] as const)
    return await evaluateEach(Object.fromEntries(sent), expect)
  }
}

/** The worst of several responses to equal deliveries. */
export function evaluateAll(answers: readonly Answer[], expect: Expectation): Verdict {
  return { ...worst(answers.map(expect)), seen: describeAnswers(answers) }
}

/** The worst of the responses to different deliveries, with the labels of the bad ones. */
export async function evaluateEach(
  deliveries: Readonly<Record<string, Promise<Answer> | Answer>>,
  expect: Expectation,
): Promise<Verdict> {
  const answers = await Promise.all(Object.values(deliveries).map(async (answer) => answer))
  const labels = Object.keys(deliveries)
  const bad = answers
    .map((answer, index) => ({ label: labels[index] ?? '', ...expect(answer) }))
    .filter(({ outcome }) => outcome !== 'passed')
  if (bad.length === 0) return evaluateAll(answers, expect)
  return { ...worst(bad), seen: bad.map(({ label, seen }) => `${label}: ${seen}`).join('; ') }
}

function worst(verdicts: readonly Verdict[]): Omit<Verdict, 'seen'> {
  const outcomes = verdicts.map(({ outcome }) => outcome)
  const bad = (['failed', 'warning'] as const).find((each) => outcomes.includes(each))
  const trap = verdicts.find((verdict) => verdict.trap)?.trap
  return { outcome: bad ?? 'passed', ...(trap && { trap }) }
}

export function notRun(seen: string): Verdict {
  return { outcome: 'not_run', seen }
}

export function isAccepted({ status }: Answer): boolean {
  return status !== null && classify(status).result === 'accepted'
}

export function isPausing({ status }: Answer): boolean {
  return status !== null && classify(status).result === 'pause'
}

export function hasStatus({ status }: Answer, from: number, to: number): boolean {
  return status !== null && status >= from && status <= to
}

function describeAnswer(answer: Answer): string {
  if (answer.status === null) return describeSilence(answer.error)
  const { status, code, durationMs } = answer
  const phrase = [status, STATUS_CODES[status], code && `(${code})`].filter(Boolean).join(' ')
  const { result, cause } = classify(status)
  if (result === 'accepted') return `${phrase} in ${durationMs} ms`
  if (result === 'pause') return `${phrase}, which pauses the feed`
  if (cause === 'redirect') return `${phrase}, which the service does not follow`
  return `${phrase}, which the service retries`
}

function describeAnswers(answers: readonly Answer[]): string {
  const [only] = answers
  if (only && answers.length === 1) return describeAnswer(only)
  const counts = new Map<string, number>()
  for (const answer of answers) {
    const what = answer.status === null ? describeSilence(answer.error) : String(answer.status)
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }
  return [...counts].map(([what, count]) => `${count} × ${what}`).join(', ')
}

function describeSilence(error: string): string {
  if (error === 'timeout') return `no answer within ${requestLimitMs / 1_000} s`
  return `no answer (${error})`
}
