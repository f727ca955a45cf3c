import { setTimeout as delay } from 'node:timers/promises'
import type { World } from './world.ts'

export interface Drained {
  /** How many jobs were live when the wait began. */
  waitedFor: number
  /** How many were still live at its end. If any are, the run does not count. */
  stillLive: number
  seconds: number
}

const limitMs = 300_000

/**
 * Waits until no job is live. A queued event is not lost, but a checker that counts too early would
 * report it as lost.
 */
export async function drain({ queue }: World, say: (line: string) => void): Promise<Drained> {
  const startedAt = performance.now()
  const waitedFor = await queue.countLive()
  let stillLive = waitedFor
  while (stillLive > 0 && performance.now() - startedAt < limitMs) {
    say(`waiting for ${stillLive} jobs`)
    await delay(250)
    stillLive = await queue.countLive()
  }
  return { waitedFor, stillLive, seconds: (performance.now() - startedAt) / 1_000 }
}
