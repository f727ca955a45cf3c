import type { Usage } from '@feed-receiver/core/api'
import { ClientError } from '../errors.ts'
import { memberOf } from '../read-page.ts'
import { backoffMs } from '../wait.ts'
import type { PollStream } from './poller-options.ts'
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

export const elsewhere: PollRound = { ...nothing, outcome: 'elsewhere', code: null, nextAt: null }

/**
 * Reads what is new, once, from a stream whose lease is taken; sweeps the head where that is due.
 * Throws where the inbox fails.
 */
export async function pollRound(
  place: PollPlace,
  taken: PollStream,
  signal: AbortSignal,
): Promise<PollRound> {
  const { client, inbox, stream, holder, alerts, now } = place
  if (await isBarred(taken, place)) {
    const outcome = taken.phase === 'waiting' ? 'waiting' : 'suspended'
    const nextAt = taken.waitUntil === null ? null : new Date(taken.waitUntil)
    return { ...nothing, outcome, code: taken.code, nextAt }
  }
  const counts = { ...nothing }
  try {
    const { isCursorLost } = await readStream(place, taken.cursor, counts, signal)
    // The first page of all was the head.
    const sweptAt = Date.parse(taken.sweptAt ?? taken.startedAt)
    const isSweepDue = now() - sweptAt >= place.sweepIntervalMs
    if (isSweepDue) await sweepHead(place, signal)
    if (isSweepDue || now() - place.pauseCheckedAt >= pauseCheckMs) await checkPause(place)
    // A service that takes none of its own cursors loses one in each round, which is one and the same.
    const staying = ['probable_pause', ...(isCursorLost ? ['cursor_lost'] : [])]
    alerts.settle((code) => !staying.includes(code))
    const waitMs = Math.max(place.intervalMs, budgetIntervalMs(client.usage, now()))
    return { ...counts, outcome: 'caught_up', code: null, nextAt: new Date(now() + waitMs) }
  } catch (error) {
    if (memberOf(error, 'code') === 'lease_lost') return elsewhere
    if (!(error instanceof ClientError)) throw error
    const { code, message } = error
    const { outcome, waitUntil, isAlert } = planAfter(error, place)
    const note = { phase: outcome, code, waitUntil }
    const isOurs = await place.hold(() => inbox.streams.note(stream, holder, note))
    if (!isOurs) return { ...elsewhere, ...counts }
    if (isAlert) alerts.raise({ code, message })
    return { ...counts, outcome, code, nextAt: waitUntil }
  }
}

/**
 * Says what to do about a request that failed, as the table of errors has it. A wait ends by itself; a
 * suspension is for a person, and only probed. `waitUntil` is until when to ask for nothing: null for
 * ever, or until there is another key.
 */
function planAfter(
  { code, retryAt }: ClientError,
  { now, failures, probeIntervalMs }: PollPlace,
): { outcome: 'waiting' | 'suspended'; waitUntil: Date | null; isAlert: boolean } {
  const after = (ms: number) => new Date(now() + ms)
  if (code === 'rate_limited') {
    const waitUntil = retryAt ?? after(60_000)
    // A burst is over within a minute; a month's allowance is a matter for a person.
    return { outcome: 'waiting', waitUntil, isAlert: waitUntil > after(600_000) }
  }
  if (code === 'unavailable') {
    // The client has tried for half a minute by itself.
    const waitUntil = after(backoffMs(16) * Math.min(5, 2 ** Math.min(failures, 3)))
    return { outcome: 'waiting', waitUntil, isAlert: failures >= 2 }
  }
  // There is no key; nothing was sent.
  if (code === 'bad_option') return { outcome: 'waiting', waitUntil: after(60_000), isAlert: true }
  const isForGood = code === 'unauthorized' || code === 'invalid_request'
  const isProbed = !isForGood && Number.isFinite(probeIntervalMs)
  const waitUntil = isProbed ? after(probeIntervalMs) : null
  return { outcome: 'suspended', waitUntil, isAlert: true }
}

/** Whether an earlier round, of whatever process, has found that there is nothing to be had now. */
async function isBarred(
  { phase, code, waitUntil }: PollStream,
  { client, now, isFirst }: PollPlace,
): Promise<boolean> {
  const isOver = waitUntil !== null && Date.parse(waitUntil) <= now()
  if (phase === 'waiting') return !isOver
  if (phase !== 'suspended' || isOver) return false
  if (code === 'unauthorized') return await client.isKeyRefused()
  return !isFirst || waitUntil !== null
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

/** Beside each sweep, since that one may be off. */
const pauseCheckMs = 3_600_000

async function checkPause(place: PollPlace): Promise<void> {
  const { inbox, now, alerts, lastAnswer } = place
  place.pauseCheckedAt = now()
  const asOf = new Date(place.pauseCheckedAt)
  const { probablePause } = await place.hold(() => inbox.gaps.count({ asOf }))
  if (!probablePause) return alerts.settle((code) => code === 'probable_pause')
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
