import type { FeedEvent } from '@feed-receiver/core'
import { budgetIntervalMs } from './budget.ts'
import type { Client } from './create-client.ts'
import { ClientError } from './errors.ts'
import type { EventFilter } from './events.ts'
import type { Alerts } from './poll-alert.ts'
import type { PollInbox, PollStream } from './poll-inbox.ts'
import { planAfter } from './plan-after.ts'
import { readStream, sweepHead, type ReadCounts } from './read-stream.ts'
import type { GivenAnswer } from './remember-answers.ts'

/** What all rounds of one poller have in common. */
export interface PollPlace {
  client: Client
  inbox: PollInbox
  stream: string
  filter: EventFilter
  holder: string
  leaseMs: number
  intervalMs: number
  sweepIntervalMs: number
  probeIntervalMs: number
  expects: ((event: FeedEvent) => boolean) | undefined
  lastAnswer: () => GivenAnswer | null
  alerts: Alerts
  /** Told of each try to take the lease. */
  onTake: (taken: PollStream | null) => void
  /** Keeps a clock that can be moved where it is while something takes real time. */
  hold<T>(work: () => Promise<T>): Promise<T>
}

/** How one round of polling ended. */
export interface PollRound extends ReadCounts {
  /**
   * `caught_up`: everything is read; `elsewhere`: another process reads the stream; `waiting`: no
   * request may be made, or none would help, before `nextAt`; `suspended`: a person has to act.
   */
  outcome: 'caught_up' | 'elsewhere' | 'waiting' | 'suspended'
  /** Why it waits or is suspended. */
  code: string | null
  /** When the next round is due; null where the lease, or a person, decides that. */
  nextAt: Date | null
}

export interface RoundOptions {
  signal: AbortSignal
  /** Whether to try what was suspended: after a restart something may have been put right. */
  isFirst: boolean
  /** How many rounds in a row have failed for a passing reason. */
  failures: number
}

const nothing: ReadCounts = { pages: 0, stored: 0, revised: 0 }

/** Reads what is new, once; sweeps the head where that is due. Throws where the inbox fails. */
export async function pollRound(
  place: PollPlace,
  { signal, isFirst, failures }: RoundOptions,
): Promise<PollRound> {
  const { client, inbox, stream, holder, leaseMs, alerts } = place
  const now = () => client.clock.now()
  const at = new Date(now())
  const taken = await place.hold(() => inbox.streams.take(stream, { holder, leaseMs, at }))
  place.onTake(taken)
  if (!taken) return { ...nothing, outcome: 'elsewhere', code: null, nextAt: null }
  if (await isBarred(taken, place, isFirst)) return barred(taken)
  try {
    const counts = await readStream(taken.cursor, place, signal)
    if (isSweepDue(taken, place)) {
      await sweepHead(place, signal)
      await checkPause(place)
    }
    alerts.settleAll(['unavailable', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'])
    alerts.settleAll(['bad_page', 'unexpected_answer', 'invalid_request', 'bad_option'])
    // These two are events by themselves: the next one is another one.
    alerts.settleAll(['cursor_lost', 'unreadable_events'])
    const waitMs = Math.max(place.intervalMs, budgetIntervalMs(client.usage, now()))
    return { ...counts, outcome: 'caught_up', code: null, nextAt: new Date(now() + waitMs) }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const plan = planAfter(error, { nowMs: now(), failures, ...place })
    const { outcome: phase, waitUntil } = plan
    const { code } = error
    const isOurs = await place.hold(() =>
      inbox.streams.note(stream, holder, { phase, code, waitUntil }),
    )
    if (!isOurs) return { ...nothing, outcome: 'elsewhere', code: null, nextAt: null }
    if (plan.isAlert) alerts.raise({ code, message: error.message })
    return { ...nothing, outcome: phase, code, nextAt: waitUntil }
  }
}

function barred({ phase, code, waitUntil }: PollStream): PollRound {
  const outcome = phase === 'waiting' ? 'waiting' : 'suspended'
  const nextAt = waitUntil === null ? null : new Date(waitUntil)
  return { ...nothing, outcome, code, nextAt }
}

/** Whether an earlier round, of whatever process, has found that there is nothing to be had now. */
async function isBarred(
  { phase, code, waitUntil }: PollStream,
  { client }: PollPlace,
  isFirst: boolean,
): Promise<boolean> {
  const isOver = waitUntil !== null && Date.parse(waitUntil) <= client.clock.now()
  if (phase === 'waiting') return !isOver
  if (phase !== 'suspended' || isFirst || isOver) return false
  return code !== 'unauthorized' || (await client.isKeyRefused())
}

function isSweepDue({ sweptAt, startedAt }: PollStream, place: PollPlace): boolean {
  // The first page of all was the head.
  const lastMs = Date.parse(sweptAt ?? startedAt)
  return place.client.clock.now() - lastMs >= place.sweepIntervalMs
}

async function checkPause(place: PollPlace): Promise<void> {
  const { inbox, client, alerts, lastAnswer } = place
  const asOf = new Date(client.clock.now())
  const { probablePause } = await place.hold(() => inbox.gaps.count({ asOf }))
  if (!probablePause) {
    alerts.settle('probable_pause')
    return
  }
  const { missed, lastPushAt } = probablePause
  const answer = lastAnswer()
  alerts.raise({
    code: 'probable_pause',
    message:
      `The destination is probably paused: ${missed.count}${missed.isExact ? '' : ' or more'} ` +
      `events that your rules push came only by pull. ${
        lastPushAt === null ? 'No push is known.' : `The latest push came at ${lastPushAt}.`
      } ${
        answer === null
          ? ''
          : `Our last answer was ${answer.status} (${answer.reason}), at ${answer.at.toISOString()}. `
      }Send a test delivery from the dashboard of the service to activate it again.`,
  })
}
