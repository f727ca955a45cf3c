import type { Usage } from '@feed-receiver/core/api'
import { ClientError } from '../errors.ts'
import { memberOf } from '../read-page.ts'
import { backoffMs } from '../wait.ts'
import type { PollStream } from './poller-options.ts'
import type { PollPlace } from './poll-place.ts'
import { readStream, sweepHead, type ReadCounts } from './read-stream.ts'

/** The result of one polling round. */
export interface PollRound extends ReadCounts {
  /**
   * `caught_up`: there is nothing left to read. `elsewhere`: another process reads the stream.
   * `waiting`: no request is allowed, or none would help, before `nextAt`. `suspended`: a person
   * has to act.
   */
  outcome: 'caught_up' | 'elsewhere' | 'waiting' | 'suspended'
  /** Why the poller waits or is suspended. */
  code: string | null
  /** When the next round is due; null if that depends on the lease or on a person. */
  nextAt: Date | null
}

const nothing: ReadCounts = { pages: 0, stored: 0, revised: 0 }

export const elsewhere: PollRound = { ...nothing, outcome: 'elsewhere', code: null, nextAt: null }

/**
 * Reads the new events once, from a stream whose lease is taken, and sweeps the head if that is
 * due. Throws if the inbox fails.
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
    // The very first page was the head.
    const sweptAt = Date.parse(taken.sweptAt ?? taken.startedAt)
    const isSweepDue = now() - sweptAt >= place.sweepIntervalMs
    if (isSweepDue) await sweepHead(place, signal)
    if (isSweepDue || now() - place.pauseCheckedAt >= pauseCheckMs) await checkPause(place)
    // A service that rejects its own cursors loses one in each round: that is a single alert.
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
 * Decides what to do after a failed request, by the table of errors. A wait ends by itself; a
 * suspension needs a person and is only probed. Until `waitUntil` no request is made: null means
 * for ever, or until the key changes.
 */
function planAfter(
  { code, retryAt }: ClientError,
  { now, failures, probeIntervalMs }: PollPlace,
): { outcome: 'waiting' | 'suspended'; waitUntil: Date | null; isAlert: boolean } {
  const after = (ms: number) => new Date(now() + ms)
  if (code === 'rate_limited') {
    const waitUntil = retryAt ?? after(60_000)
    // A burst limit ends within a minute; an exhausted monthly quota needs a person.
    return { outcome: 'waiting', waitUntil, isAlert: waitUntil > after(600_000) }
  }
  if (code === 'unavailable') {
    // The client has already retried for half a minute.
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

/** Whether an earlier round, in any process, has found that no request can succeed now. */
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

/** The share of the remaining monthly quota that polling at an even pace may use. */
const share = 0.9

// The interval at which the rest of the month's quota lasts, whoever else uses it. One poll a
// minute uses 45 % of a month, so this is 0 or little until others use more.
function budgetIntervalMs(usage: Usage | null, nowMs: number): number {
  if (!usage) return 0
  const leftMs = Date.parse(usage.resetsAt) - nowMs
  if (!(leftMs > 0)) return 0
  const spendable = (usage.limit - usage.requests) * share
  return spendable < 1 ? leftMs : leftMs / spendable
}

/** In addition to each sweep, because sweeps may be disabled. */
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
      `events that your delivery rules push arrived only by pull. ${
        lastPushAt === null
          ? 'No push has arrived yet.'
          : `The latest push arrived at ${lastPushAt}.`
      } ${
        answer === null
          ? ''
          : `The receiver last answered ${answer.status} (${answer.reason}), at ${answer.at.toISOString()}. `
      }Send a test delivery from the dashboard of the service to reactivate it.`,
  })
}
