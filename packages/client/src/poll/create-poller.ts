import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as realSleep } from 'node:timers/promises'
import { backoffMs, withAbort, waitUntil, type Deadline } from '../wait.ts'
import type { PollStream, PollerOptions } from './poller-options.ts'
import { createPollContext } from './poll-context.ts'
import { elsewhere, pollRound, type PollRound } from './poll-round.ts'

/** Polling outlives the request in which it starts, and must not see its stores. */
const inOwnContext = AsyncLocalStorage.snapshot()

/** How often a suspended poller that sends no request takes its lease. The health expects it. */
const heartbeatMs = 60_000

export type Poller = ReturnType<typeof createPoller>

/**
 * Creates a poller, which reads the pull API into an inbox. It stores each page with its cursor, so
 * an interruption loses nothing. Several processes may run one; a lease lets one of them read at a
 * time. Opens nothing before `start`. Errors: `ClientError` `bad_option`.
 */
export function createPoller(options: PollerOptions) {
  const context = createPollContext(options)
  const { stream, holder, client, inbox, intervalMs, leaseMs, report, now, hold } = context
  let stopping = new AbortController()
  let running: Promise<void> | undefined
  let stopped = Promise.resolve()
  let currentRound: Promise<PollRound> | undefined
  const polls = new Set<Promise<PollRound>>()
  let isWanted = false
  let wake = () => {}
  let leaseUses = 0
  let releasing: Promise<void> = Promise.resolve()
  let latestTestId: number | null | undefined

  return {
    /** The name under which the inbox stores the cursor of this stream. */
    get stream() {
      return stream
    },
    /** Starts polling, at once and then periodically. Safe to call again. */
    async start(): Promise<void> {
      const { signal } = stopping
      running ??= stopped.then(() => inOwnContext(() => run(signal)))
      await stopped
    },
    /** Runs one round without `start`: reads new events and releases the stream. For schedulers. */
    async poll(): Promise<PollRound> {
      const { signal } = stopping
      const polling = stopped.then(() => withLease(() => nextRound(signal)))
      polls.add(polling)
      return await polling.finally(() => polls.delete(polling))
    },
    /** Starts the next round now, unless a rate limit or a suspension forbids requests. */
    pollNow,
    /** Aborts the current round, releases the stream, and stops polling. Safe to call again. */
    stop,
    [Symbol.asyncDispose]: stop,
  }

  async function stop(): Promise<void> {
    stopping.abort()
    stopping = new AbortController()
    // A start or poll that follows waits for it.
    stopped = Promise.allSettled([stopped, running, ...polls]).then(() => undefined)
    running = undefined
    await stopped
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
        context.failures += 1
        report(error)
        await pause(context.deadlineIn(backoffMs(context.failures)), signal)
      }
    }
  }

  /**
   * Holds the lease, which keeps other processes from reading the stream, while any work that took
   * it here runs, and then releases it.
   */
  async function withLease<T>(work: () => Promise<T>): Promise<T> {
    await releasing
    leaseUses += 1
    let renewed: Promise<unknown> = Promise.resolve()
    const renewal = setInterval(() => {
      renewed = takeLease().catch(report)
    }, leaseMs / 3)
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      await renewed
      leaseUses -= 1
      // If the database is unreachable, the lease expires by itself.
      if (leaseUses === 0)
        releasing = hold(() => inbox.streams.release(stream, holder)).catch(() => {})
      await releasing
    }
  }

  async function takeLease(): Promise<PollStream | null> {
    const taken = await inbox.streams.take(stream, { holder, leaseMs, at: new Date(now()) })
    if (!taken) return null
    // The service sends a test delivery at the start and after a pause, and a pause loses pushes.
    const isTested = latestTestId !== undefined && taken.latestTestId !== latestTestId
    latestTestId = taken.latestTestId
    if (isTested) pollNow()
    return taken
  }

  /** Runs rounds until one ends with another outcome than `caught_up`. */
  async function readOn(signal: AbortSignal): Promise<PollRound> {
    for (;;) {
      isWanted = false
      const round = await nextRound(signal)
      if (round.outcome !== 'caught_up') return round
      await rest(round, signal)
      if (signal.aborted) return round
    }
  }

  /** The current round, or a new one: two rounds of one holder would conflict. */
  function nextRound(signal: AbortSignal): Promise<PollRound> {
    currentRound ??= runRound(signal).finally(() => (currentRound = undefined))
    return currentRound
  }

  async function runRound(signal: AbortSignal): Promise<PollRound> {
    const taken = await hold(takeLease)
    const round = taken ? await pollRound(context, taken, signal) : elsewhere
    if (round.outcome !== 'elsewhere') context.isFirst = false
    else context.failures = 0
    return round
  }

  async function rest({ outcome, code, nextAt }: PollRound, signal: AbortSignal): Promise<void> {
    // Leases use real time, whatever clock schedules the polls.
    if (outcome === 'elsewhere') {
      await realSleep(leaseMs / 3, undefined, { signal }).catch(() => {})
      return
    }
    // Without a time, nothing is requested, but the key may have been replaced by then. Each round
    // also takes the lease, by which the health tells this poller from a removed one.
    const waitMs = nextAt
      ? nextAt.getTime() - now()
      : code === 'unauthorized'
        ? intervalMs
        : heartbeatMs
    await pause(context.deadlineIn(waitMs), signal)
  }

  /** Waits until a deadline, or until `pollNow` asks for the next round. */
  async function pause(deadline: Deadline, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isWanted) return
    await withAbort([signal], async (own) => {
      wake = () => own.abort()
      await waitUntil(deadline, client.clock, own.signal)
    }).catch(() => {})
  }
}
