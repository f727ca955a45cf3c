import { once } from 'node:events'
import { setTimeout as realSleep } from 'node:timers/promises'
import { backoffMs, breakingOff, waitUntil } from '../wait.ts'
import type { PollStream, PollerOptions } from './poller-options.ts'
import { settleOptions } from './poll-place.ts'
import { elsewhere, pollRound, type PollRound } from './poll-round.ts'

export type Poller = ReturnType<typeof createPoller>

/**
 * Makes a poller, which reads the pull API into an inbox: each page and its cursor together, whatever
 * is interrupted. Several processes may run one; a lease lets one of them read at a time. Opens
 * nothing before `start`. Errors: `ClientError` `bad_option`.
 */
export function createPoller(options: PollerOptions) {
  const place = settleOptions(options)
  const { stream, holder, client, inbox, intervalMs, leaseMs, onError, now, hold } = place
  let stopping = new AbortController()
  let running: Promise<void> | undefined
  let roundUnderWay: Promise<PollRound> | undefined
  let isWanted = false
  let wake = () => {}
  let leaseUses = 0
  let letting: Promise<void> = Promise.resolve()
  let latestTestId: number | null | undefined

  return {
    /** The name under which the inbox keeps how far this stream has been read. */
    get stream() {
      return stream
    },
    /** Begins to poll, at once and then by itself. Safe to call again. */
    async start(): Promise<void> {
      running ??= run(stopping.signal)
    },
    /** One round, without `start`: reads what is new and lets go of the stream. For schedulers. */
    poll: (): Promise<PollRound> => withLease(nextRound),
    /** Has the next round begin now, unless no request may be made. */
    pollNow,
    /** Breaks off the round under way, lets go of the stream, and ends. Safe to call again. */
    stop,
    [Symbol.asyncDispose]: stop,
  }

  async function stop(): Promise<void> {
    const ending = stopping
    ending.abort()
    await Promise.allSettled([running, roundUnderWay])
    if (stopping !== ending) return
    running = undefined
    stopping = new AbortController()
  }

  function pollNow(): void {
    isWanted = true
    wake()
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await rest(await withLease(() => readOn(signal)), signal)
      } catch (error) {
        if (signal.aborted) break
        place.failures += 1
        onError(error)
        await pause(now() + backoffMs(place.failures), signal)
      }
    }
  }

  /**
   * Keeps the lease, which keeps other processes from reading the stream, for as long as any work that
   * took it in here, and then lets go.
   */
  async function withLease<T>(work: () => Promise<T>): Promise<T> {
    await letting
    leaseUses += 1
    let kept: Promise<unknown> = Promise.resolve()
    const keeping = setInterval(() => {
      kept = takeLease().catch(onError)
    }, leaseMs / 3)
    try {
      return await work()
    } finally {
      clearInterval(keeping)
      await kept
      leaseUses -= 1
      // With the database away, the lease ends by itself.
      if (leaseUses === 0)
        letting = hold(() => inbox.streams.release(stream, holder)).catch(() => {})
      await letting
    }
  }

  async function takeLease(): Promise<PollStream | null> {
    const taken = await inbox.streams.take(stream, { holder, leaseMs, at: new Date(now()) })
    if (!taken) return null
    // The service sends a test delivery after a pause, which has lost pushes, and at the start.
    const isTested = latestTestId !== undefined && taken.latestTestId !== latestTestId
    latestTestId = taken.latestTestId
    if (isTested) pollNow()
    return taken
  }

  /** Round after round, until one has to wait for something else than news. */
  async function readOn(signal: AbortSignal): Promise<PollRound> {
    for (;;) {
      isWanted = false
      const round = await nextRound()
      if (round.outcome !== 'caught_up') return round
      await rest(round, signal)
      if (signal.aborted) return round
    }
  }

  /** The round under way, or a new one: two of one holder would be in each other's way. */
  function nextRound(): Promise<PollRound> {
    roundUnderWay ??= onceMore(stopping.signal).finally(() => (roundUnderWay = undefined))
    return roundUnderWay
  }

  async function onceMore(signal: AbortSignal): Promise<PollRound> {
    const taken = await hold(takeLease)
    const round = taken ? await pollRound(place, taken, signal) : elsewhere
    if (round.outcome !== 'elsewhere') place.isFirst = false
    place.failures = round.code === 'unavailable' ? place.failures + 1 : 0
    return round
  }

  async function rest({ outcome, code, nextAt }: PollRound, signal: AbortSignal): Promise<void> {
    // Leases are kept in real time, whatever clock decides when to poll.
    if (outcome === 'elsewhere') {
      await realSleep(leaseMs / 3, undefined, { signal }).catch(() => {})
      return
    }
    // By then there may be another key, and nobody tells.
    const lookAt = code === 'unauthorized' ? now() + intervalMs : null
    await pause(nextAt?.getTime() ?? lookAt, signal)
  }

  /** Waits until a time, if there is one, or until the next round is wanted at once. */
  async function pause(untilMs: number | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isWanted) return
    await breakingOff([signal], async (own) => {
      wake = () => own.abort()
      const woken = once(own.signal, 'abort')
      await (untilMs === null ? woken : waitUntil(untilMs, client.clock, own.signal))
    }).catch(() => {})
  }
}
