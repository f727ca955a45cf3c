import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as realSleep } from 'node:timers/promises'
import { backoffMs } from '../backoff.ts'
import { ClientError } from '../errors.ts'
import { toQuery } from '../query.ts'
import { waitUntil } from '../wait-until.ts'
import { createLease } from './lease.ts'
import { createAlerts } from './poll-alert.ts'
import type { PollStream } from './poll-inbox.ts'
import type { PollPlace } from './poll-place.ts'
import { pollRound, type PollRound } from './poll-round.ts'
import type { PollerOptions } from './poller-options.ts'

export interface Poller extends AsyncDisposable {
  /** The name under which the inbox keeps how far this stream has been read. */
  readonly stream: string
  /** Begins to poll, at once and then by itself. Safe to call again. */
  start(): Promise<void>
  /** One round, without `start`: reads what is new and lets go of the stream. For schedulers. */
  poll(): Promise<PollRound>
  /** Has the next round begin now, unless no request may be made. */
  pollNow(): void
  /** Breaks off the round under way, lets go of the stream, and ends. Safe to call again. */
  stop(): Promise<void>
}

/**
 * Makes a poller, which reads the pull API into an inbox: each page and its cursor together, whatever
 * is interrupted. Several processes may run one; a lease lets one of them read at a time. Opens
 * nothing before `start`. Errors: `ClientError` `bad_option`.
 */
export function createPoller({
  client,
  inbox,
  filter = {},
  account = 'default',
  expects,
  intervalMs = 60_000,
  sweepIntervalMs = 3_600_000,
  probeIntervalMs = 3_600_000,
  leaseMs = 30_000,
  lastAnswer = () => null,
  onAlert = ({ message }) => process.emitWarning(message, 'FeedPollerWarning'),
  onError = (error) => process.emitWarning(String(error), 'FeedPollerWarning'),
}: PollerOptions): Poller {
  checkTimes({ intervalMs, sweepIntervalMs, probeIntervalMs, leaseMs })
  const { clock } = client
  const { provider, type, confirmation } = filter
  const query = toQuery({ provider, type, confirmation }).toString()
  // A cursor means something for its service, account, endpoint and filter only.
  const stream = `${account} ${client.baseUrl}/v1/events${query === '' ? '' : `?${query}`}`
  const place: PollPlace = {
    client,
    inbox,
    stream,
    filter,
    holder: randomUUID(),
    leaseMs,
    intervalMs,
    sweepIntervalMs,
    probeIntervalMs,
    expects,
    lastAnswer,
    alerts: createAlerts(onAlert),
    pauseCheckedAt: clock.now(),
    onTake: noteTake,
    async hold(work) {
      const release = clock.hold?.()
      try {
        return await work()
      } finally {
        release?.()
      }
    },
  }
  const lease = createLease(place, onError)
  let stopping = new AbortController()
  let running: Promise<void> | undefined
  let roundUnderWay: Promise<PollRound> | undefined
  let isFirst = true
  let failures = 0
  let latestTestId: number | null | undefined
  let isWanted = false
  let wake = () => {}

  return {
    stream,
    async start() {
      running ??= run(stopping.signal)
    },
    poll: () => lease.during(nextRound),
    pollNow,
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
        await rest(await lease.during(() => readOn(signal)), signal)
      } catch (error) {
        if (signal.aborted) break
        failures += 1
        onError(error)
        await pause(clock.now() + backoffMs(failures, Math.random), signal)
      }
    }
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
  async function nextRound(): Promise<PollRound> {
    roundUnderWay ??= onceMore(stopping.signal).finally(() => {
      roundUnderWay = undefined
    })
    return await roundUnderWay
  }

  async function onceMore(signal: AbortSignal): Promise<PollRound> {
    try {
      const round = await pollRound(place, { signal, isFirst, failures })
      if (round.outcome !== 'elsewhere') isFirst = false
      failures = round.code === 'unavailable' ? failures + 1 : 0
      return round
    } catch (error) {
      if (!isLeaseLost(error)) throw error
      return { outcome: 'elsewhere', code: null, nextAt: null, pages: 0, stored: 0, revised: 0 }
    }
  }

  async function rest({ outcome, code, nextAt }: PollRound, signal: AbortSignal): Promise<void> {
    // Leases are kept in real time, whatever clock decides when to poll.
    if (outcome === 'elsewhere') {
      await realSleep(leaseMs / 3, undefined, { signal }).catch(() => {})
      return
    }
    // By then there may be another key, and nobody tells.
    const lookAt = code === 'unauthorized' ? clock.now() + intervalMs : null
    await pause(nextAt?.getTime() ?? lookAt, signal)
  }

  /** Waits until a time, if there is one, or until the next round is wanted at once. */
  async function pause(untilMs: number | null, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isWanted) return
    const waking = new AbortController()
    const woken = once(waking.signal, 'abort')
    wake = () => waking.abort()
    signal.addEventListener('abort', wake, { once: true })
    const timeIsUp = untilMs === null ? woken : waitUntil(untilMs, clock, waking.signal)
    await Promise.race([woken, timeIsUp]).catch(() => {})
    signal.removeEventListener('abort', wake)
    waking.abort()
    wake = () => {}
  }

  /** The service sends a test delivery after a pause, which has lost pushes, and at the start. */
  function noteTake(taken: PollStream | null): void {
    if (!taken) return
    const isTested = latestTestId !== undefined && taken.latestTestId !== latestTestId
    latestTestId = taken.latestTestId
    if (isTested) pollNow()
  }
}

function isLeaseLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'lease_lost'
}

function checkTimes(times: Record<string, number>): void {
  for (const [name, value] of Object.entries(times)) {
    if (value > 0) continue
    throw new ClientError('bad_option', `${name} must be more than 0, not ${value}.`)
  }
}
