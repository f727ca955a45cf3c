import { setTimeout as delay } from 'node:timers/promises'

/** The timeout of anything that waits for a slow or stopped database. */
export const patienceMs = 90_000

/** Waits for a promise, and throws with its purpose if it takes too long. */
export async function withPatience(done: Promise<void>, what: string): Promise<void> {
  const giveUp = new AbortController()
  const limit = delay(patienceMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`not within ${patienceMs} ms: ${what}`)
  })
  await Promise.race([done, limit]).finally(() => giveUp.abort())
}
