import { setTimeout as delay } from 'node:timers/promises'
import type { CheckGroup } from './check.ts'
import type { Answer } from './send-request.ts'
import { judgeSettledCount } from './stored-checks.ts'
import type { Restart, Target } from './target.ts'
import { accepted, isAccepted, isPausing, judgeEach, notRun, type Verdict } from './verdict.ts'
import { withinTime } from './within-time.ts'

const needed = 'It needs to restart the receiver; give --restart-command.'

/** A restart, as every deployment is one. */
export const restartChecks: CheckGroup = {
  title: 'Restart',
  pace: 'in_turn',
  checks: [
    {
      name: 'restart',
      title: 'Takes deliveries again after a restart, and knows the earlier ones',
      why: 'A route that is mounted late answers 404 while it starts, and that pauses the feed.',
      fix: 'Mount the route before the server listens, and answer 503 until the store is ready.',
      async run(target) {
        if (!target.restart) return notRun(needed)
        const { failure, answers } = await crossOnce(target, target.restart)
        return failure ?? judgeEach(answers, accepted)
      },
    },
    {
      name: 'stored_once_after_restart',
      title: 'Stores an event once, though it comes before and after a restart',
      why:
        'A memory of ids that ends with the process lets every retry in again after a ' +
        'deployment.',
      fix: 'Keep the ids in the database, under a unique constraint.',
      async run(target) {
        if (!target.restart) return notRun(needed)
        if (!target.storedCount) return notRun('It needs to count as well; give --database.')
        const { failure, earlierId } = await crossOnce(target, target.restart)
        return failure ?? judgeSettledCount(target, earlierId)
      },
    },
  ],
}

const restartLimitMs = 60_000
const comebackLimitMs = 30_000

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
  const earlier = makeEvent()
  const before = await deliver(earlier)
  const found = { earlierId: earlier.id, answers: {} }
  const givingUp = new AbortController()
  const restarted = restart(AbortSignal.any([signal, givingUp.signal])).then(() => true)
  if (!(await withinTime(restarted, { limitMs: restartLimitMs, signal }))) {
    givingUp.abort()
    const seen = `the restart took more than ${restartLimitMs / 1_000} s`
    return { ...found, failure: { outcome: 'failed', seen } }
  }
  const after = await untilBack(target)
  return {
    ...found,
    answers: { before, after, 'the earlier one again': await deliver(earlier) },
  }
}

/** The first answer that is settled: no connection, 429 and 5xx are what a start may look like. */
async function untilBack({ deliver, makeEvent, signal }: Target): Promise<Answer> {
  const givenUpAt = performance.now() + comebackLimitMs
  const event = makeEvent()
  for (;;) {
    const answer = await deliver(event)
    const isSettled = isAccepted(answer) || isPausing(answer)
    if (isSettled || performance.now() > givenUpAt) return answer
    await delay(200, undefined, { signal })
  }
}
