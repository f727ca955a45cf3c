import { ClientError } from '../errors.ts'
import { memberOf } from '../causes.ts'
import { longestWaitMs } from '../rate-limit.ts'
import { dateIn, deadlineIn, hold, unlessAborted } from '../wait.ts'
import { nextPollMs, planAfter, planNext, type PlannedWait } from './plan-wait.ts'
import type { PollStream } from './poller-options.ts'
import type { PollContext } from './poll-context.ts'
import { readStream, rereadHead, type ReadCounts } from './read-stream.ts'

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
 * Reads the new events once, from a stream whose lease is taken, and rereads the head if that is
 * due. Throws if the inbox fails.
 */
export async function pollRound(
  context: PollContext,
  taken: PollStream,
  signal: AbortSignal,
): Promise<PollRound> {
  const { alerts, clock } = context
  if (await mustWait(taken, context, signal)) {
    const outcome = taken.phase === 'waiting' ? 'waiting' : 'suspended'
    const nextAt = scheduleIn(waitLeftMs(taken, context), context)
    return { ...nothing, outcome, code: taken.code, nextAt }
  }
  const counts = { ...nothing }
  try {
    const { isCursorLost } = await readStream(context, taken.cursor, counts, signal)
    context.failures = 0
    context.cursorsLost = isCursorLost ? context.cursorsLost + 1 : 0
    // The very first page was the head. A time ahead is from a clock that was set back.
    const rereadAt = Date.parse(taken.rereadAt ?? taken.startedAt)
    const isRereadDue = Math.abs(clock.now() - rereadAt) >= context.rereadIntervalMs
    const isHeadSound = isRereadDue && (await rereadHead(context, signal)) === 0
    const sinceCheck = Math.abs(clock.now() - context.pauseCheckedAt)
    if (isRereadDue || sinceCheck >= pauseCheckMs) await checkPause(context)
    const plan = planNext(context)
    const staying = ['probable_pause', plan?.code]
    // An item that cannot be read is rarely on the next page, too.
    if (!isHeadSound) staying.push('unreadable_events')
    // A service that rejects its own cursors loses one in each round: that is a single alert.
    if (isCursorLost) staying.push('cursor_lost')
    alerts.resolve((code) => !staying.includes(code))
    if (plan) return await noteWait(plan, counts, context)
    const nextAt = scheduleIn(nextPollMs(context), context)
    return { ...counts, outcome: 'caught_up', code: null, nextAt }
  } catch (error) {
    if (memberOf(error, 'code') === 'lease_lost') return elsewhere
    if (!(error instanceof ClientError)) throw error
    const isPassing = error.code === 'unavailable' || error.code === 'rate_limited'
    context.failures = isPassing && counts.pages === 0 ? context.failures + 1 : Number(isPassing)
    return await noteWait(planAfter(error, context), counts, context)
  }
}

/** Stores a wait for whichever process continues, and raises its alert. */
async function noteWait(
  { outcome, code, waitMs, alert }: PlannedWait,
  counts: ReadCounts,
  context: PollContext,
): Promise<PollRound> {
  const { inbox, stream, holder, alerts } = context
  const waitUntil = scheduleIn(waitMs, context)
  if (waitUntil && context.due) context.ownWait = { until: waitUntil, end: context.due }
  const note = { phase: outcome, code, waitUntil }
  const isOurs = await hold(context.clock, () => inbox.streams.note(stream, holder, note))
  if (!isOurs) return { ...elsewhere, ...counts }
  if (alert) alerts.raise(alert)
  return { ...counts, outcome, code, nextAt: waitUntil }
}

/** Sets when the next round is due, and returns its time of day. */
function scheduleIn(ms: number | null, context: PollContext): Date | null {
  context.due = ms === null ? null : deadlineIn(ms, context.clock)
  return ms === null ? null : dateIn(ms, context.clock)
}

/** Whether an earlier round, in any process, has found that no request can succeed now. */
async function mustWait(
  taken: PollStream,
  context: PollContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { phase, code } = taken
  const leftMs = waitLeftMs(taken, context)
  const isOver = leftMs !== null && leftMs <= 0
  if (phase === 'waiting') return !isOver
  if (phase !== 'suspended' || isOver) return false
  if (code === 'unauthorized') return await unlessAborted(context.client.isKeyRejected, signal)
  return !context.isFirst || leftMs !== null
}

/** How long a stored wait still lasts; null if it does not end by itself. */
function waitLeftMs({ waitUntil }: PollStream, { ownWait, clock }: PollContext): number | null {
  if (waitUntil === null) return null
  const until = Date.parse(waitUntil)
  if (ownWait?.until.getTime() === until) return ownWait.end.leftMs()
  const leftMs = until - clock.now()
  return leftMs > longestWaitMs ? 0 : leftMs
}

/** In addition to each reread, because rereads may be disabled. */
const pauseCheckMs = 3_600_000

async function checkPause(context: PollContext): Promise<void> {
  const { inbox, clock, alerts, lastAnswer } = context
  context.pauseCheckedAt = clock.now()
  const asOf = new Date(context.pauseCheckedAt)
  const { probablePause } = await hold(clock, () => inbox.gaps.count({ asOf }))
  if (!probablePause) return alerts.resolve((code) => code === 'probable_pause')
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
