import type { Checks } from './check.ts'
import { askUntil, withinTime } from './in-time.ts'
import type { Answer } from './send-request.ts'
import type { Target } from './target.ts'
import {
  accepted,
  isAccepted,
  judge,
  judgeAll,
  judgeEach,
  notPausing,
  notRun,
  type Verdict,
} from './verdict.ts'
import { createStartingLine } from './write-body.ts'

/** The same event again, as "at least once" promises. */
export const duplicateChecks: Checks = {
  duplicates_in_turn: {
    title: 'Accepts the same event three times, one after the other',
    why:
      'Deliveries come at least once. Whoever refuses a duplicate has it sent again, or the ' +
      'feed paused.',
    fix: 'Answer a duplicate with 2xx: what the sender asks is whether you have the event.',
    async run({ deliver, makeEvent }) {
      const event = makeEvent()
      const answers: Answer[] = []
      for (let time = 1; time <= 3; time += 1) answers.push(await deliver({ event }))
      return judgeAll(answers, accepted)
    },
  },
  duplicates_at_once: {
    title: 'Accepts the same event fifty times at once',
    why:
      'Retries overlap with slow answers. Two inserts that race end in a unique violation, ' +
      'and that in a 500.',
    fix:
      'Insert with "on conflict do nothing" under a unique constraint, and answer 2xx ' +
      'whoever came first.',
    async run(target) {
      const { answers } = await deliverAtOnce(target)
      // Being told to come back later is what the interface has 429 for.
      const acceptedOrBusy = judge((answer) =>
        answer.status === 429 ? 'warning' : accepted(answer).outcome,
      )
      return judgeAll(answers, acceptedOrBusy)
    },
  },
  same_id_other_bytes: {
    title: 'Does not pause the feed over a known id with other bytes',
    why:
      'An id is stable; other bytes under it are for an operator to look at, and no reason ' +
      'to stop the feed.',
    fix: 'Keep the second body aside and answer 202.',
    async run({ deliver, makeEvent }) {
      const event = makeEvent()
      const first = await deliver({ event })
      const other = { ...event, data: { ...event.data, summary: 'Other bytes' } }
      return judgeEach({ first, 'other bytes': deliver({ event: other }) }, notPausing)
    },
  },
  event_id_header_missing: {
    title: 'Does not pause the feed over a missing Feed-Event-Id',
    why: 'The header is not signed and a proxy may drop it; the id is in the signed body.',
    fix: 'Take the id from the verified body alone.',
    send: { headers: { 'Feed-Event-Id': undefined, 'Idempotency-Key': undefined } },
    expect: notPausing,
  },
  event_id_header_differs: {
    title: 'Does not pause the feed over a Feed-Event-Id that differs',
    why: 'Only the body is signed. Whoever can set the header could stop the feed with it.',
    fix: 'Take the id from the verified body, and keep the delivery aside where the header differs.',
    async run({ deliver, makeEvent }) {
      return notPausing(await deliver({ headers: { 'Feed-Event-Id': makeEvent().id } }))
    },
  },
}

/** What the receiver has stored, if the run can count it. */
export const storedChecks: Checks = {
  stored_once: {
    title: 'Stores fifty deliveries of one event exactly once',
    why: 'Looking first and inserting then lets two deliveries through that look at the same time.',
    fix: 'Put the event id under a unique constraint, in the transaction that accepts the event.',
    run: counting(async (target) => {
      const { event, answers } = await deliverAtOnce(target)
      if (!answers.some(isAccepted)) return judgeAll(answers, accepted)
      return judgeSettledCount(target, event.id)
    }),
  },
  stored_before_answer: {
    title: 'Has stored an event by the time it answers',
    why: 'A 2xx ends the delivery: what is lost after it never comes again by webhook.',
    fix: 'Commit the event first, then answer, then do the work.',
    run: counting(async (target) => {
      const event = target.makeEvent()
      const verdict = accepted(await target.deliver({ event }))
      return verdict.outcome === 'passed' ? judgeCount(target, event.id, 1) : verdict
    }),
  },
  forged_not_stored: {
    title: 'Stores nothing of a forged delivery',
    why: 'Verification that comes after the storing protects nothing.',
    fix: 'Verify before anything else, and store only what has passed.',
    run: counting(async (target) => {
      const event = target.makeEvent()
      await target.deliver({ event, secret: 'feed_whsec_of_nobody_at_all' })
      return judgeCount(target, event.id, 0)
    }),
  },
  key_from_body: {
    title: 'Stores an event under the id of its body, not of the header',
    why:
      'The header is not signed: a replay under the id of the next event would make that one ' +
      'a duplicate.',
    fix: 'Take the key of deduplication from the verified body alone.',
    run: counting(async (target) => {
      const { id } = target.makeEvent()
      await target.deliver({ headers: { 'Feed-Event-Id': id } })
      return judgeCount(target, id, 0)
    }),
  },
}

/** Delivers one event fifty times so that all of them arrive at once. */
async function deliverAtOnce({ deliver, makeEvent }: Target) {
  const length = 50
  const event = makeEvent()
  const manner = { startingLine: createStartingLine(length) }
  const answers = await Promise.all(Array.from({ length }, () => deliver({ event, manner })))
  return { event, answers }
}

export type CountingTarget = Target & { storedCount: NonNullable<Target['storedCount']> }

export function canCount(target: Target): target is CountingTarget {
  return target.storedCount !== undefined
}

function counting(run: (target: CountingTarget) => Promise<Verdict>) {
  return async (target: Target): Promise<Verdict> => {
    if (canCount(target)) return await run(target)
    return notRun('It needs to count what was stored; give --database.')
  }
}

/** Whether an event is stored exactly once, by now or within five seconds. */
export function judgeSettledCount(target: CountingTarget, eventId: string): Promise<Verdict> {
  return askUntil(
    () => judgeCount(target, eventId, 1),
    ({ count }) => count !== 0,
    {
      limitMs: 5_000,
      everyMs: 100,
      signal: target.signal,
    },
  )
}

async function judgeCount(
  { storedCount, signal }: CountingTarget,
  eventId: string,
  expected: number,
): Promise<Verdict & { count?: number }> {
  const count = await withinTime(storedCount(eventId), { limitMs: 15_000, signal })
  if (count === undefined) return { outcome: 'failed', seen: 'counting took more than 15 s' }
  const seen = `stored ${times(count)}, expected ${times(expected)}`
  return { outcome: count === expected ? 'passed' : 'failed', seen, count }
}

function times(count: number): string {
  if (count === 0) return 'not at all'
  return count === 1 ? 'once' : `${count} times`
}
