import { setTimeout as delay } from 'node:timers/promises'

interface Limits {
  limitMs: number
  signal: AbortSignal
}

/** What a promise resolves with, or undefined if that takes longer. */
export async function withinTime<T>(
  promise: Promise<T>,
  { limitMs, signal }: Limits,
): Promise<T | undefined> {
  const done = new AbortController()
  const limit = delay(limitMs, undefined, { signal: AbortSignal.any([signal, done.signal]) })
  try {
    return await Promise.race([promise, limit])
  } finally {
    done.abort()
  }
}

/** Asks again and again until an answer will do or the time is up; gives the last answer. */
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
