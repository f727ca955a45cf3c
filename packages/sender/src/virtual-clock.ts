import { EventEmitter, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '@feed-receiver/core/node'

export interface VirtualClockOptions {
  /**
   * The initial time, in epoch milliseconds.
   * @default the real time
   */
  start?: number | undefined
  /**
   * Whether the clock jumps to the earliest due time as soon as something sleeps. 63.5 minutes of
   * retries then pass at once.
   * @default false
   */
  autoAdvance?: boolean | undefined
}

/** A clock that stands still until you move it. */
export interface VirtualClock extends Clock {
  hold(): () => void
  /**
   * Moves the clock forward by `ms` milliseconds and resolves with the new time. Wakes each sleeper
   * that becomes due, in order of due time and then of falling asleep, and lets it run before the
   * next one wakes. Also wakes sleepers that fall asleep meanwhile and are due within `ms`. Waits
   * while the clock is held, so never await it inside an attempt (a receiver under test,
   * `onAttempt`).
   */
  advance(ms: number): Promise<number>
  /**
   * Waits until something sleeps, jumps to the earliest due time, and resolves with it after the
   * sleepers that were due have run. Waits while the clock is held, like `advance`.
   */
  next(): Promise<number>
}

/**
 * A clock for tests and sandboxes. Its time passes only when you move it, or by itself with
 * `autoAdvance`. Deterministic with any number of sleepers. A sleep of 0 or less resolves at once.
 */
export function virtualClock({
  start = Date.now(),
  autoAdvance = false,
}: VirtualClockOptions = {}): VirtualClock {
  let time = start
  let lastMove: Promise<unknown> = Promise.resolve()
  /** In order of due time; sleepers with the same due time in the order of falling asleep. */
  const sleepers: { due: number; wake: () => void }[] = []
  const holders = new Set<() => void>()
  /** Emits `change` when something falls asleep or releases the clock. */
  const changes = new EventEmitter().setMaxListeners(0)

  if (autoAdvance) void advanceForever()
  return { now: () => time, sleep, hold, advance, next }

  async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (!(ms > 0)) return
    await new Promise<void>((resolve, reject) => {
      const sleeper = { due: time + ms, wake }
      const wakeEarly = () => {
        sleepers.splice(sleepers.indexOf(sleeper), 1)
        reject(signal?.reason)
      }
      function wake(): void {
        signal?.removeEventListener('abort', wakeEarly)
        resolve()
      }
      signal?.addEventListener('abort', wakeEarly, { once: true })
      const after = sleepers.findIndex(({ due }) => due > sleeper.due)
      sleepers.splice(after < 0 ? sleepers.length : after, 0, sleeper)
      changes.emit('change')
    })
  }

  function hold(): () => void {
    const release = () => {
      holders.delete(release)
      changes.emit('change')
    }
    holders.add(release)
    return release
  }

  async function advance(ms: number): Promise<number> {
    if (!(ms >= 0)) throw new RangeError(`advance needs 0 milliseconds or more, not ${ms}.`)
    return oneMoveAtATime(async () => {
      const target = time + ms
      await letCodeRun()
      while (sleepers[0] && sleepers[0].due <= target) await jumpTo(sleepers[0].due)
      time = target
      return time
    })
  }

  async function next(): Promise<number> {
    for (;;) {
      while (sleepers.length === 0) await once(changes, 'change')
      const reached = await oneMoveAtATime(async () => {
        await letCodeRun()
        return sleepers[0] ? jumpTo(sleepers[0].due) : null
      })
      if (reached !== null) return reached
    }
  }

  async function jumpTo(due: number): Promise<number> {
    time = due
    while (sleepers[0] && sleepers[0].due <= time) {
      sleepers.shift()?.wake()
      await setImmediate()
    }
    await letCodeRun()
    return time
  }

  /** One turn of the event loop lets promises run; held work reports its end itself. */
  async function letCodeRun(): Promise<void> {
    await setImmediate()
    while (holders.size > 0) {
      await once(changes, 'change')
      await setImmediate()
    }
  }

  function oneMoveAtATime<T>(move: () => Promise<T>): Promise<T> {
    const moved = lastMove.then(move)
    lastMove = moved
    return moved
  }

  async function advanceForever(): Promise<void> {
    for (;;) await next()
  }
}
