import { randomBytes } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { askUntil, withinTime } from './in-time.ts'
import { otherAnswer } from './other-answer.ts'
import type { Answer } from './send-request.ts'
import type { Delivery, Target } from './target.ts'
import { accepted, isAccepted, judge, judgeAll, judgeEach, notPausing, notRun } from './verdict.ts'
import type { Run, Verdict } from './verdict.ts'
import { createStartingLine } from './write-body.ts'

/** Checks that need several deliveries: connections, duplicates, stored events, and rotation. */
export const procedures = {
  /** It tells the answers of a login page or a router from those that a wrong secret causes. */
  async authentic({ deliver }) {
    const answer = await deliver()
    const verdict = accepted(answer)
    const trap = verdict.outcome === 'passed' ? undefined : (verdict.trap ?? otherAnswer(answer))
    return { ...verdict, ...(trap && { trap }) }
  },
  keep_alive: keepAlive,
  async long_id({ deliver, makeEvent }) {
    const event = makeEvent()
    // Random, because an index would compress a pattern and accept it.
    const id = `${event.id}_${randomBytes(1_500).toString('hex')}`
    return judgeEach({ 'long id': deliver({ event: { ...event, id } }) }, notPausing)
  },
  async duplicates_in_turn({ deliver, makeEvent }) {
    const event = makeEvent()
    const answers: Answer[] = []
    for (let time = 1; time <= 3; time += 1) answers.push(await deliver({ event }))
    return judgeAll(answers, accepted)
  },
  async duplicates_at_once(target) {
    const { answers } = await deliverAtOnce(target)
    // 429 is the interface's way to ask for a later retry.
    return judgeAll(
      answers,
      judge((answer) => (answer.status === 429 ? 'warning' : accepted(answer).outcome)),
    )
  },
  async same_id_other_bytes({ deliver, makeEvent }) {
    const event = makeEvent()
    const first = await deliver({ event })
    const other = { ...event, data: { ...event.data, summary: 'Other bytes' } }
    return judgeEach({ first, 'other bytes': deliver({ event: other }) }, notPausing)
  },
  async event_id_header_differs({ deliver, makeEvent }) {
    return notPausing(await deliver({ headers: { 'Feed-Event-Id': makeEvent().id } }))
  },
  stored_once: counting(async (target) => {
    const { event, answers } = await deliverAtOnce(target)
    if (!answers.some(isAccepted)) return judgeAll(answers, accepted)
    return judgeSettledCount(target, event.id)
  }),
  stored_before_answer: counting(async (target) => {
    const event = target.makeEvent()
    const verdict = accepted(await target.deliver({ event }))
    return verdict.outcome === 'passed' ? judgeCount(target, event.id, 1) : verdict
  }),
  forged_not_stored: counting(async (target) => {
    const event = target.makeEvent()
    await target.deliver({ event, secret: 'feed_whsec_of_nobody_at_all' })
    return judgeCount(target, event.id, 0)
  }),
  key_from_body: counting(async (target) => {
    const { id } = target.makeEvent()
    await target.deliver({ headers: { 'Feed-Event-Id': id } })
    return judgeCount(target, id, 0)
  }),
  /** The service changes from one secret to the next within 24 hours (R203). */
  async rotation({ deliver, secondSecret: secret }) {
    if (secret === undefined) return notRun('It needs a second secret: add --second-secret-env.')
    const each = { 'the first secret': deliver(), 'the second secret': deliver({ secret }) }
    return judgeEach(each, accepted)
  },
} satisfies Record<string, Run>

async function keepAlive({ deliver, makeEvent, url }: Target) {
  const Agent = url.protocol === 'https:' ? HttpsAgent : HttpAgent
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const once = async (how: Delivery = {}) => {
    const delivery = { ...how, agent, event: makeEvent() }
    const answer = await deliver(delivery)
    // A server may close an idle connection just when the next request starts on it.
    return answer.status === null && answer.reused ? deliver(delivery) : answer
  }
  try {
    const first = await once()
    await once({ secret: 'feed_whsec_of_nobody_at_all' })
    const afterForged = await once()
    return await judgeEach(
      { first, 'after a forged delivery': afterForged, last: await once() },
      accepted,
    )
  } finally {
    agent.destroy()
  }
}

/** Delivers one event fifty times, so that all deliveries arrive concurrently. */
async function deliverAtOnce({ deliver, makeEvent }: Target) {
  const length = 50
  const event = makeEvent()
  const manner = { startingLine: createStartingLine(length) }
  const answers = await Promise.all(Array.from({ length }, () => deliver({ event, manner })))
  return { event, answers }
}

type CountingTarget = Target & { storedCount: NonNullable<Target['storedCount']> }

export function canCount(target: Target): target is CountingTarget {
  return target.storedCount !== undefined
}

function counting(run: (target: CountingTarget) => Promise<Verdict>): Run {
  return async (target) => {
    if (canCount(target)) return await run(target)
    return notRun('It needs a count of stored events: add --database or --count-command.')
  }
}

/** Whether an event is stored exactly once, now or within five seconds. */
export function judgeSettledCount(target: CountingTarget, eventId: string): Promise<Verdict> {
  const limits = { limitMs: 5_000, everyMs: 100, signal: target.signal }
  return askUntil(
    () => judgeCount(target, eventId, 1),
    ({ count }) => count !== 0,
    limits,
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
