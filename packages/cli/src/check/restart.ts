import { askUntil, withinTime } from './in-time.ts'
import { canCount, judgeSettledCount } from './procedures.ts'
import type { Answer } from './send-request.ts'
import type { Restart, Target } from './target.ts'
import { accepted, isAccepted, isPausing, judgeEach, notRun } from './verdict.ts'
import type { Run, Verdict } from './verdict.ts'

const needed = 'It needs to restart the receiver: add --restart-command.'

/** A restart, as in every deployment. */
export const restartChecks = {
  async restart(target) {
    if (!target.restart) return notRun(needed)
    const { failure, answers } = await crossOnce(target, target.restart)
    return failure ?? judgeEach(answers, accepted)
  },
  async stored_once_after_restart(target) {
    if (!target.restart) return notRun(needed)
    if (!canCount(target))
      return notRun('It also needs a count of stored events: add --database or --count-command.')
    const { failure, earlierId } = await crossOnce(target, target.restart)
    return failure ?? judgeSettledCount(target, earlierId)
  },
} satisfies Record<string, Run>

interface Crossing {
  earlierId: string
  failure?: Verdict
  answers: Record<string, Answer>
}

const crossings = new WeakMap<Target, Promise<Crossing>>()

// One restart is enough for all checks, and somebody may be using the receiver.
function crossOnce(target: Target, restart: Restart): Promise<Crossing> {
  const crossing = crossings.get(target) ?? acrossRestart(target, restart)
  crossings.set(target, crossing)
  return crossing
}

async function acrossRestart(target: Target, restart: Restart): Promise<Crossing> {
  const { makeEvent, signal } = target
  const event = makeEvent()
  const before = await deliverSettled(target, event)
  const found = { earlierId: event.id, answers: {} }
  const givingUp = new AbortController()
  const restarted = restart(AbortSignal.any([signal, givingUp.signal])).then(() => true)
  if (!(await withinTime(restarted, { limitMs: 60_000, signal }))) {
    givingUp.abort()
    return { ...found, failure: { outcome: 'failed', seen: 'the restart took more than 60 s' } }
  }
  const after = await deliverSettled(target, makeEvent())
  // If several workers share the port, one may be back before another.
  const again = await deliverSettled(target, event)
  return { ...found, answers: { before, after, 'the earlier event again': again } }
}

/** The first settled response. During a start, no connection, 429 and 5xx are normal. */
function deliverSettled(
  { deliver, signal }: Target,
  event: ReturnType<Target['makeEvent']>,
): Promise<Answer> {
  const isSettled = (answer: Answer) => isAccepted(answer) || isPausing(answer)
  return askUntil(() => deliver({ event }), isSettled, { limitMs: 30_000, signal })
}
