import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as realSleep } from 'node:timers/promises'
import { backoffMs, deadlineIn, hold, waitUntil, withAbort, type Deadline } from '../wait.ts'
import type { PollStream, PollerOptions } from './poller-options.ts'
import { createPollContext } from './poll-context.ts'
import { elsewhere, pollRound, type PollRound } from './poll-round.ts'

/** Polling outlives the request in which it starts, and must not see its stores. */
const inOwnContext = AsyncLocalStorage.snapshot()

/** How often a suspended poller that sends no request takes its lease. The health expects it. */
const heartbeatMs = 60_000

/** Reads the pull API into an inbox, by itself after `start` or whenever `poll` is called. */
export interface Poller extends AsyncDisposable {
  /** The name under which the inbox stores the cursor of this stream. */
  readonly stream: string
  /** Starts polling, at once and then periodically. Safe to call again. */
  start(): Promise<void>
  /** Runs one round without `start`: reads new events and releases the stream. For schedulers. */
  poll(): Promise<PollRound>
  /** Starts the next round now, unless a rate limit or a suspension forbids requests. */
  pollNow: () => void
  /** Aborts the current round, releases the stream, and stops polling. Safe to call again. */
  stop: () => Promise<void>
}

/**
 * Creates a poller, which reads the pull API into an inbox. It stores each page with its cursor, so
 * an interruption loses nothing. Several processes may run one; a lease lets one of them read at a
 * time. Opens nothing before `start`. Errors: `ClientError` `bad_option`.
 */
export function createPoller(options: PollerOptions): Poller {
  const context = createPollContext(options)
  const { stream, holder, clock, inbox, intervalMs, leaseMs, report } = context
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
    stream,
    async start() {
      const { signal } = stopping
      running ??= stopped.then(() => inOwnContext(() => run(signal)))
      await stopped
    },
    async poll() {
      const { signal } = stopping
      const polling = stopped.then(() => withLease(() => nextRound(signal)))
      polls.add(polling)
      return await polling.finally(() => polls.delete(polling))
    },
    pollNow,
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
        await pause(deadlineIn(backoffMs(context.failures), clock), signal)
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
    let renewing: Promise<unknown> | undefined
    const renewal = setInterval(() => {
      // One at a time: a slow one would otherwise take the lease again after its release.
      renewing ??= takeLease()
        .catch(report)
        .finally(() => (renewing = undefined))
    }, leaseMs / 3)
    try {
      return await work()
    } finally {
      clearInterval(renewal)
      await renewing
      leaseUses -= 1
      // If the database is unreachable, the lease expires by itself.
      if (leaseUses === 0)
        releasing = hold(clock, () => inbox.streams.release(stream, holder)).catch(() => {})
      await releasing
    }
  }

  async function takeLease(): Promise<PollStream | null> {
    const taken = await inbox.streams.take(stream, { holder, leaseMs, at: new Date(clock.now()) })
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
    const taken = await hold(clock, takeLease)
    const round = taken ? await pollRound(context, taken, signal) : elsewhere
    if (round.outcome !== 'elsewhere') context.isFirst = false
    else context.failures = 0
    return round
  }

  async function rest({ outcome, code }: PollRound, signal: AbortSignal): Promise<void> {
    // Leases use real time, whatever clock schedules the polls.
    if (outcome === 'elsewhere') {
      await realSleep(leaseMs / 3, undefined, { signal }).catch(() => {})
      return
    }
    // Without a time, nothing is requested, but the key may have been replaced by then. Each round
    // also takes the lease, by which the health tells this poller from a removed one.
    const heartbeat = deadlineIn(code === 'unauthorized' ? intervalMs : heartbeatMs, clock)
    await pause(context.due ?? heartbeat, signal)
  }

  /** Waits until a deadline, or until `pollNow` asks for the next round. */
  async function pause(deadline: Deadline, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isWanted) return
    await withAbort([signal], async (own) => {
      wake = () => own.abort()
      await waitUntil(deadline, clock, own.signal)
    }).catch(() => {})
  }
}
