import { setTimeout as delay } from 'node:timers/promises'

/** How long anything may take that has to wait for a database which is down or slow. */
export const patienceMs = 90_000

/** Waits for a promise, and throws with what it was for where that takes too long. */
export async function withPatience(done: Promise<void>, what: string): Promise<void> {
  const giveUp = new AbortController()
  const limit = delay(patienceMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`not within ${patienceMs} ms: ${what}`)
  })
  await Promise.race([done, limit]).finally(() => giveUp.abort())
}
