import type { Usage } from '@feed-receiver/core/api'
import { ClientError } from '../errors.ts'
import { planAfter } from './plan-after.ts'
import type { PollStream } from './poll-inbox.ts'
import type { PollPlace } from './poll-place.ts'
import { readStream, sweepHead, type ReadCounts } from './read-stream.ts'

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

const nothing: ReadCounts = { pages: 0, stored: 0, revised: 0 }

/** Reads what is new, once; sweeps the head where that is due. Throws where the inbox fails. */
export async function pollRound(
  place: PollPlace,
  {
    signal,
    isFirst,
    failures,
  }: {
    signal: AbortSignal
    /** Whether to try what only a person ends: after a restart it may have been put right. */
    isFirst: boolean
    /** How many rounds in a row have failed for a passing reason. */
    failures: number
  },
): Promise<PollRound> {
  const { client, inbox, stream, holder, leaseMs, alerts } = place
  const now = () => client.clock.now()
  const at = new Date(now())
  const taken = await place.hold(() => inbox.streams.take(stream, { holder, leaseMs, at }))
  place.onTake(taken)
  if (!taken) return { ...nothing, outcome: 'elsewhere', code: null, nextAt: null }
  if (await isBarred(taken, place, isFirst)) return barred(taken)
  const counts = { ...nothing }
  try {
    const { isCursorLost } = await readStream(taken.cursor, { place, counts, signal })
    const isSwept = isSweepDue(taken, place)
    if (isSwept) await sweepHead(place, signal)
    if (isSwept || isPauseCheckDue(place)) await checkPause(place)
    // A service that takes none of its own cursors loses one in each round, which is one and the same.
    alerts.settleAllBut('probable_pause', ...(isCursorLost ? ['cursor_lost' as const] : []))
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
    if (!isOurs) return { ...counts, outcome: 'elsewhere', code: null, nextAt: null }
    if (plan.isAlert) alerts.raise({ code, message: error.message })
    return { ...counts, outcome: phase, code, nextAt: waitUntil }
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
  if (phase !== 'suspended' || isOver) return false
  if (code === 'unauthorized') return await client.isKeyRefused()
  return !isFirst || waitUntil !== null
}

function isSweepDue({ sweptAt, startedAt }: PollStream, place: PollPlace): boolean {
  // The first page of all was the head.
  const lastMs = Date.parse(sweptAt ?? startedAt)
  return place.client.clock.now() - lastMs >= place.sweepIntervalMs
}

/** Beside each sweep, since that one may be off. */
const pauseCheckMs = 3_600_000

function isPauseCheckDue({ client, pauseCheckedAt }: PollPlace): boolean {
  return client.clock.now() - pauseCheckedAt >= pauseCheckMs
}

/** The share of what is left of the month that polling at an even pace may use up. */
const share = 0.9

// How far apart polls have to be for the rest of the month's allowance to last, whoever else uses it
// up. One poll a minute is 45 % of a month, so this is 0 or little until others take more.
function budgetIntervalMs(usage: Usage | null, nowMs: number): number {
  if (!usage) return 0
  const leftMs = Date.parse(usage.resetsAt) - nowMs
  if (!(leftMs > 0)) return 0
  const spendable = (usage.limit - usage.requests) * share
  return spendable < 1 ? leftMs : leftMs / spendable
}

async function checkPause(place: PollPlace): Promise<void> {
  const { inbox, client, alerts, lastAnswer } = place
  const asOf = new Date(client.clock.now())
  place.pauseCheckedAt = asOf.getTime()
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
