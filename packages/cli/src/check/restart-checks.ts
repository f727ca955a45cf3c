import type { Checks } from './check.ts'
import { askUntil, withinTime } from './in-time.ts'
import type { Answer } from './send-request.ts'
import { canCount, judgeSettledCount } from './stored-checks.ts'
import type { Restart, Target } from './target.ts'
import { accepted, isAccepted, isPausing, judgeEach, notRun, type Verdict } from './verdict.ts'

const needed = 'It needs to restart the receiver; give --restart-command.'

/** A restart, as every deployment is one. */
export const restartChecks: Checks = {
  restart: {
    title: 'Takes deliveries again after a restart, and knows the earlier ones',
    why: 'A route that is mounted late answers 404 while it starts, and that pauses the feed.',
    fix: 'Mount the route before the server listens, and answer 503 until the store is ready.',
    async run(target) {
      if (!target.restart) return notRun(needed)
      const { failure, answers } = await crossOnce(target, target.restart)
      return failure ?? judgeEach(answers, accepted)
    },
  },
  stored_once_after_restart: {
    title: 'Stores an event once, though it comes before and after a restart',
    why: 'A memory of ids that ends with the process lets every retry in again after a deployment.',
    fix: 'Keep the ids in the database, under a unique constraint.',
    async run(target) {
      if (!target.restart) return notRun(needed)
      if (!canCount(target)) return notRun('It needs to count as well; give --database.')
      const { failure, earlierId } = await crossOnce(target, target.restart)
      return failure ?? judgeSettledCount(target, earlierId)
    },
  },
}

interface Crossing {
  earlierId: string
  failure?: Verdict
  answers: Record<string, Answer>
}

const crossings = new WeakMap<Target, Promise<Crossing>>()

// One restart tells all that there is to know, and somebody may be using the receiver.
function crossOnce(target: Target, restart: Restart): Promise<Crossing> {
  const crossing = crossings.get(target) ?? acrossRestart(target, restart)
  crossings.set(target, crossing)
  return crossing
}

async function acrossRestart(target: Target, restart: Restart): Promise<Crossing> {
  const { deliver, makeEvent, signal } = target
  const event = makeEvent()
  const before = await deliver({ event })
  const found = { earlierId: event.id, answers: {} }
  const givingUp = new AbortController()
  const restarted = restart(AbortSignal.any([signal, givingUp.signal])).then(() => true)
  if (!(await withinTime(restarted, { limitMs: 60_000, signal }))) {
    givingUp.abort()
    return { ...found, failure: { outcome: 'failed', seen: 'the restart took more than 60 s' } }
  }
  const after = await untilBack(target)
  const again = await deliver({ event })
  return { ...found, answers: { before, after, 'the earlier one again': again } }
}

/** The first answer that is settled: no connection, 429 and 5xx are what a start may look like. */
function untilBack({ deliver, makeEvent, signal }: Target): Promise<Answer> {
  const event = makeEvent()
  const isSettled = (answer: Answer) => isAccepted(answer) || isPausing(answer)
  return askUntil(() => deliver({ event }), isSettled, { limitMs: 30_000, signal })
}
