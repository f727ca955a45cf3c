import { setTimeout as delay } from 'node:timers/promises'

interface Limits {
  limitMs: number
  signal: AbortSignal
}

/** The result of a promise, or undefined after a timeout. */
export function withinTime<T>(
  promise: Promise<T>,
  { limitMs, signal }: Limits,
): Promise<T | undefined> {
  return Promise.race([promise, delay(limitMs, undefined, { signal, ref: false })])
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
