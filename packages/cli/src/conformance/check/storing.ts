import type { FeedEvent } from '@feed-receiver/core'
import { askUntil, withinTime } from './in-time.ts'
import type { Answer } from './send-request.ts'
import { wrongSecret, type Restart, type Target } from './target.ts'
import {
  accepted,
  evaluateAll,
  evaluateEach,
  expectation,
  group,
  isAccepted,
  isPausing,
  notPausing,
  notRun,
  sending,
  type Check,
  type Run,
  type Verdict,
} from './verdict.ts'
import { createStartingLine } from './write-body.ts'

const needsRestart = 'It needs to restart the receiver: add --restart-command.'

/** What is stored of duplicates and forgeries, and across a rotation and a restart. */
export const storingChecks: Check[] = [
  ...group('Duplicates', 'in_turn', {
    duplicates_in_turn: {
      title: 'Accepts the same event three times, one after the other',
      why: 'The service delivers at least once. Rejecting a duplicate causes retries or pauses the feed.',
      fix: 'Answer a duplicate with 2xx, because you have the event.',
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        const answers: Answer[] = []
        for (let time = 1; time <= 3; time += 1) answers.push(await deliver({ event }))
        return evaluateAll(answers, accepted)
      },
    },
    duplicates_at_once: {
      title: 'Accepts the same event fifty times at once',
      why: 'Retries overlap with slow answers. Two concurrent inserts cause a unique violation, which often becomes a 500.',
      fix: 'Insert with "on conflict do nothing" under a unique constraint, and answer 2xx in both cases.',
      async run(target) {
        const { answers } = await deliverAtOnce(target)
        // 429 is the interface's way to ask for a later retry.
        return evaluateAll(
          answers,
          expectation((answer) => (answer.status === 429 ? 'warning' : accepted(answer).outcome)),
        )
      },
    },
    same_id_other_bytes: {
      title: 'Does not pause the feed over a stored id with other bytes',
      why: 'Two bodies with one id contradict each other. An operator must compare them, but the feed must go on.',
      fix: 'Put the second body in quarantine and answer 202.',
      async run({ deliver, makeEvent }) {
        const event = makeEvent()
        const first = await deliver({ event })
        const other = { ...event, data: { ...event.data, summary: 'Other bytes' } }
        return evaluateEach({ first, 'other bytes': deliver({ event: other }) }, notPausing)
      },
    },
    event_id_header_missing: {
      title: 'Does not pause the feed over a missing Feed-Event-Id',
      why: 'The header is not signed, and a proxy may drop it. The id is in the signed body.',
      fix: 'Take the id only from the verified body.',
      run: sending(notPausing, { headers: { 'Feed-Event-Id': null, 'Idempotency-Key': null } }),
    },
    event_id_header_differs: {
      title: 'Does not pause the feed over a Feed-Event-Id that differs',
      why: 'Only the body is signed. Anybody who can set the header could pause the feed.',
      fix: 'Take the id from the verified body, and put the delivery in quarantine if the header differs.',
      async run({ deliver, makeEvent }) {
        return notPausing(await deliver({ headers: { 'Feed-Event-Id': makeEvent().id } }))
      },
    },
  }),
  ...group('Stored', 'in_turn', {
    stored_once: {
      title: 'Stores fifty deliveries of one event exactly once',
      why: 'With a select before the insert, two concurrent deliveries both pass.',
      fix: 'Put the event id under a unique constraint, in the transaction that accepts the event.',
      run: counting(async (target) => {
        const { event, answers } = await deliverAtOnce(target)
        if (!answers.some(isAccepted)) return evaluateAll(answers, accepted)
        return checkFinalCount(target, event.id)
      }),
    },
    stored_before_answer: {
      title: 'Has stored an event by the time it answers',
      why: 'After a 2xx the service never sends the event again, so a later loss is final.',
      fix: 'Commit the event first, then answer, then handle it.',
      run: counting(async (target) => {
        const event = target.makeEvent()
        const verdict = accepted(await target.deliver({ event }))
        return verdict.outcome === 'passed' ? checkCount(target, event.id, 1) : verdict
      }),
    },
    forged_not_stored: {
      title: 'Stores nothing of a forged delivery',
      why: 'Verification after storing protects nothing.',
      fix: 'Verify before anything else, and store only verified deliveries.',
      run: counting(async (target) => {
        const event = target.makeEvent()
        await target.deliver({ event, secret: wrongSecret })
        return checkCount(target, event.id, 0)
      }),
    },
    key_from_body: {
      title: 'Stores an event under the id of its body, not of the header',
      why: 'The header is not signed. An attacker could replay a delivery under the id of a future event, and your app would then drop that event as a duplicate.',
      fix: 'Take the idempotency key only from the verified body.',
      run: counting(async (target) => {
        const { id } = target.makeEvent()
        await target.deliver({ headers: { 'Feed-Event-Id': id } })
        return checkCount(target, id, 0)
      }),
    },
  }),
  ...group('Rotation', 'in_turn', {
    rotation: {
      title: 'Accepts the signatures of either of two secrets',
      why: 'The service signs with the old secret for 24 more hours. With only one secret deployed, a 401 pauses the feed.',
      fix: 'Try every configured secret, and remove the old one only after a delivery signed with the new one.',
      /** The service changes from one secret to the next within 24 hours. */
      async run({ deliver, secondSecret: secret }) {
        if (secret === undefined)
          return notRun('It needs a second secret: add --second-secret-env.')
        const each = { 'the first secret': deliver(), 'the second secret': deliver({ secret }) }
        return evaluateEach(each, accepted)
      },
    },
  }),
  ...group('Restart', 'in_turn', {
    restart: {
      title: 'Accepts deliveries after a restart, and recognizes earlier ones',
      why: 'A route that is mounted late answers 404 during the start, which pauses the feed.',
      fix: 'Mount the route before the server listens, and answer 503 until the store is ready.',
      async run(target) {
        if (!target.restart) return notRun(needsRestart)
        const { failure, answers } = await restartOnce(target, target.restart)
        return failure ?? evaluateEach(answers, accepted)
      },
    },
    stored_once_after_restart: {
      title: 'Stores an event once if it is delivered before and after a restart',
      why: 'Ids in memory are lost with the process, so every retry after a deployment is stored again.',
      fix: 'Store the ids in the database, under a unique constraint.',
      async run(target) {
        if (!target.restart) return notRun(needsRestart)
        if (!canCount(target)) {
          return notRun(
            'It also needs a count of stored events: add --database or --count-command.',
          )
        }
        const { failure, earlierId } = await restartOnce(target, target.restart)
        return failure ?? checkFinalCount(target, earlierId)
      },
    },
  }),
]

/** Delivers one event fifty times, so that all deliveries arrive concurrently. */
async function deliverAtOnce({ deliver, makeEvent }: Target) {
  const length = 50
  const event = makeEvent()
  const pacing = { startingLine: createStartingLine(length) }
  const answers = await Promise.all(Array.from({ length }, () => deliver({ event, pacing })))
  return { event, answers }
}

type CountingTarget = Target & { storedCount: NonNullable<Target['storedCount']> }

function canCount(target: Target): target is CountingTarget {
  return target.storedCount !== undefined
}

function counting(run: (target: CountingTarget) => Promise<Verdict>): Run {
  return async (target) => {
    if (canCount(target)) return await run(target)
    return notRun('It needs a count of stored events: add --database or --count-command.')
  }
}

/** Whether an event is stored exactly once, now or within five seconds. */
function checkFinalCount(target: CountingTarget, eventId: string): Promise<Verdict> {
  const limits = { limitMs: 5_000, everyMs: 100, signal: target.signal }
  return askUntil(
    () => checkCount(target, eventId, 1),
    ({ count }) => count !== 0,
    limits,
  )
}

async function checkCount(
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

const restarts = new WeakMap<Target, ReturnType<typeof deliverAcross>>()

// One restart is enough for all checks, and somebody may be using the receiver.
function restartOnce(target: Target, restart: Restart) {
  const restarted = restarts.get(target) ?? deliverAcross(target, restart)
  restarts.set(target, restarted)
  return restarted
}

/** Delivers an event before and after a restart, and another one after it. */
async function deliverAcross(target: Target, restart: Restart) {
  const { makeEvent, signal } = target
  const event = makeEvent()
  const before = await deliverUntilFinal(target, event)
  const givingUp = new AbortController()
  const restarted = restart(AbortSignal.any([signal, givingUp.signal])).then(() => true)
  if (!(await withinTime(restarted, { limitMs: 60_000, signal }))) {
    givingUp.abort()
    const failure: Verdict = { outcome: 'failed', seen: 'the restart took more than 60 s' }
    return { earlierId: event.id, failure, answers: {} }
  }
  const after = await deliverUntilFinal(target, makeEvent())
  // If several workers share the port, one may be back before another.
  const again = await deliverUntilFinal(target, event)
  const answers = { before, after, 'the earlier event again': again }
  return { earlierId: event.id, failure: undefined, answers }
}

/** The first final response. During a start, no connection, 429 and 5xx are normal. */
function deliverUntilFinal({ deliver, signal }: Target, event: FeedEvent): Promise<Answer> {
  const isFinal = (answer: Answer) => isAccepted(answer) || isPausing(answer)
  return askUntil(() => deliver({ event }), isFinal, { limitMs: 30_000, signal })
}
