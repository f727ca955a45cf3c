import { classify } from '@feed-receiver/sender'
import { describeAnswer, describeAnswers } from './describe-answer.ts'
import type { Answer } from './send-request.ts'

export type Outcome = 'passed' | 'warning' | 'failed' | 'not_run'

export interface Verdict {
  outcome: Outcome
  /** What was seen, or why the check was not run. Holds no secret, no signature and no body. */
  seen: string
}

/** Says what one answer means for one check. */
export type Judge = (answer: Answer) => Verdict

/** An authentic delivery is answered 2xx (R168). */
export function accepted(answer: Answer): Verdict {
  return verdict(isAccepted(answer) ? 'passed' : 'failed', answer)
}

/** A forged delivery is answered with any 4xx: a 5xx would have it sent again (R174). */
export function refused(answer: Answer): Verdict {
  const { status } = answer
  return verdict(status !== null && status >= 400 && status < 500 ? 'passed' : 'failed', answer)
}

/** A form that the service never sends: refusing it is right, taking it is only lax. */
export function refusedOrLax(answer: Answer): Verdict {
  return isAccepted(answer) ? verdict('warning', answer) : refused(answer)
}

/** A genuine delivery outside the window is not accepted (R173), and best not with a pause. */
export function turnedAway(answer: Answer): Verdict {
  if (answer.status === null || isAccepted(answer)) return verdict('failed', answer)
  return verdict(isPausing(answer) ? 'warning' : 'passed', answer)
}

/** A genuine delivery that cannot be handled: kept aside at best, but never a pause of the feed. */
export function notPausing(answer: Answer): Verdict {
  if (isAccepted(answer)) return verdict('passed', answer)
  return verdict(answer.status === null || isPausing(answer) ? 'failed' : 'warning', answer)
}

/** The worst of several answers to equal deliveries. */
export function judgeAll(answers: readonly Answer[], judge: Judge): Verdict {
  const outcome = worst(answers.map((answer) => judge(answer).outcome))
  return { outcome, seen: describeAnswers(answers) }
}

/** The worst of the answers to different deliveries, under way or there, and which ones it was. */
export async function judgeEach(
  deliveries: Readonly<Record<string, Promise<Answer> | Answer>>,
  judge: Judge,
): Promise<Verdict> {
  const answers = await Promise.all(Object.values(deliveries).map(async (answer) => answer))
  const labels = Object.keys(deliveries)
  const bad = answers
    .map((answer, index) => ({ label: labels[index], ...judge(answer) }))
    .filter(({ outcome }) => outcome !== 'passed')
  if (bad.length === 0) return judgeAll(answers, judge)
  return {
    outcome: worst(bad.map(({ outcome }) => outcome)),
    seen: bad.map(({ label = '', seen }) => `${label}: ${seen}`).join('; '),
  }
}

export function notRun(seen: string): Verdict {
  return { outcome: 'not_run', seen }
}

function verdict(outcome: Outcome, answer: Answer): Verdict {
  return { outcome, seen: describeAnswer(answer) }
}

function worst(outcomes: readonly Outcome[]): Outcome {
  return (['failed', 'warning'] as const).find((each) => outcomes.includes(each)) ?? 'passed'
}

export function isAccepted({ status }: Answer): boolean {
  return status !== null && classify(status).result === 'accepted'
}

export function isPausing({ status }: Answer): boolean {
  return status !== null && classify(status).result === 'pause'
}
