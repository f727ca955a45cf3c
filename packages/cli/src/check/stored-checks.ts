import { setTimeout as delay } from 'node:timers/promises'
import type { CheckGroup } from './check.ts'
import { deliverAtOnce } from './deliver-at-once.ts'
import type { Target } from './target.ts'
import { accepted, isAccepted, judgeAll, notRun, type Verdict } from './verdict.ts'
import { withinTime } from './within-time.ts'

const needed = 'It needs to count what was stored; give --database.'

/** What the receiver has stored, where the run can count it. */
export const storedChecks: CheckGroup = {
  title: 'Stored',
  pace: 'in_turn',
  checks: [
    {
      name: 'stored_once',
      title: 'Stores fifty deliveries of one event exactly once',
      why:
        'Looking first and inserting then lets two deliveries through that look at the same ' +
        'time.',
      fix: 'Put the event id under a unique constraint, in the transaction that accepts the event.',
      async run(target) {
        if (!target.storedCount) return notRun(needed)
        const event = target.makeEvent()
        const answers = await deliverAtOnce(target, event)
        if (!answers.some(isAccepted)) return judgeAll(answers, accepted)
        return judgeSettledCount(target, event.id)
      },
    },
    {
      name: 'stored_before_answer',
      title: 'Has stored an event by the time it answers',
      why: 'A 2xx ends the delivery: what is lost after it never comes again by webhook.',
      fix: 'Commit the event first, then answer, then do the work.',
      async run(target) {
        if (!target.storedCount) return notRun(needed)
        const event = target.makeEvent()
        const { outcome, seen } = accepted(await target.deliver(event))
        return outcome === 'passed' ? judgeCount(target, event.id, 1) : { outcome, seen }
      },
    },
    {
      name: 'forged_not_stored',
      title: 'Stores nothing of a forged delivery',
      why: 'Verification that comes after the storing protects nothing.',
      fix: 'Verify before anything else, and store only what has passed.',
      async run(target) {
        if (!target.storedCount) return notRun(needed)
        const event = target.makeEvent()
        await target.deliver(event, { secret: 'feed_whsec_of_nobody_at_all' })
        return judgeCount(target, event.id, 0)
      },
    },
    {
      name: 'key_from_body',
      title: 'Stores an event under the id of its body, not of the header',
      why:
        'The header is not signed: a replay under the id of the next event would make that one ' +
        'a duplicate.',
      fix: 'Take the key of deduplication from the verified body alone.',
      async run(target) {
        if (!target.storedCount) return notRun(needed)
        const other = target.makeEvent()
        await target.deliver(target.makeEvent(), { headers: { 'Feed-Event-Id': other.id } })
        return judgeCount(target, other.id, 0)
      },
    },
  ],
}

/** Whether an event is stored exactly once, by now or within five seconds. */
export async function judgeSettledCount(target: Target, eventId: string): Promise<Verdict> {
  const givenUpAt = performance.now() + 5_000
  for (;;) {
    const verdict = await judgeCount(target, eventId, 1)
    if (verdict.count !== 0 || performance.now() > givenUpAt) return verdict
    await delay(100, undefined, { signal: target.signal })
  }
}

const countLimitMs = 15_000

interface CountVerdict extends Verdict {
  count?: number
}

async function judgeCount(
  { storedCount, signal }: Target,
  eventId: string,
  expected: number,
): Promise<CountVerdict> {
  if (!storedCount) return notRun(needed)
  const count = await withinTime(storedCount(eventId), { limitMs: countLimitMs, signal })
  if (count === undefined) {
    return { outcome: 'failed', seen: `counting took more than ${countLimitMs / 1_000} s` }
  }
  const seen = `stored ${times(count)}, expected ${times(expected)}`
  return { outcome: count === expected ? 'passed' : 'failed', seen, count }
}

function times(count: number): string {
  if (count === 0) return 'not at all'
  return count === 1 ? 'once' : `${count} times`
}
