import { expect, it, onTestFinished, vi } from 'vitest'
import { codeOf } from '../errors.ts'
import { withResolvers } from '../with-resolvers.ts'
import { createAttemptPool } from './attempt-pool.ts'
import type { Attempt, Outcome } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import { createHandlerTimes } from './handler-times.ts'

it('tells by what a late claim wanted whether there may be more jobs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const wanted: number[] = []
  const late = withResolvers<ClaimedEntry[]>()
  const ends = withResolvers<Outcome>()
  const pool = createAttemptPool({
    claim: async (count) => (wanted.push(count) === 1 ? jobs(3) : late.promise),
    attempts: {
      start: (job) => attemptUntil(job, ends.promise),
      times: createHandlerTimes(() => undefined, 10),
      sharedMs: 0,
      share: undefined,
    },
    unclaim: async () => {},
    mayClaimAhead: false,
    sendHeartbeat: async () => true,
    onLateClaim: () => {},
    onEnd: () => {},
    concurrency: 4,
    onError: () => {},
  })
  expect(await pool.fill()).toBe(false)
  const failed = pool.fill().catch(codeOf)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await failed).toBe('no_answer')
  ends.resolve('handled')
  await pool.oneEnds()
  await expect.poll(() => pool.isIdle()).toBe(true)
  late.resolve(jobs(1))
  // It wanted one, although four may run now.
  expect(await pool.fill()).toBe(true)
  expect(wanted).toEqual([4, 1])
  await pool.end()
})

function jobs(count: number): ClaimedEntry[] {
  return Array.from({ length: count }, (_, n) => {
    const job: Partial<ClaimedEntry> = {
      id: String(n),
      retryCount: 0,
      claimedAt: performance.now(),
    }
    return job as ClaimedEntry
  })
}

function attemptUntil(job: ClaimedEntry, outcome: Promise<Outcome>): Attempt {
  return {
    job,
    outcome,
    returned: outcome,
    hasReturned: () => false,
    abort: () => {},
    lose: () => {},
    giveUp: async () => {},
  }
}
