import { setTimeout as delay } from 'node:timers/promises'

interface Limits {
  limitMs: number
  signal: AbortSignal
}

/** The result of a promise, or undefined after a timeout. */
export async function withinTime<T>(
  promise: Promise<T>,
  { limitMs, signal }: Limits,
): Promise<T | undefined> {
  // Ends the delay with the promise: its listener would stay at the signal of the whole run.
  const done = new AbortController()
  const ended = AbortSignal.any([signal, done.signal])
  try {
    return await Promise.race([promise, delay(limitMs, undefined, { signal: ended, ref: false })])
  } finally {
    done.abort()
  }
}

/** Polls until an answer will do or the time is up; returns the last answer. */
export async function askUntil<T>(
  ask: () => Promise<T>,
  willDo: (answer: T) => boolean,
  { limitMs, everyMs = 200, signal }: Limits & { everyMs?: number },
): Promise<T> {
  const endsAt = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (willDo(answer) || performance.now() > endsAt) return answer
    await delay(everyMs, undefined, { signal })
  }
}
