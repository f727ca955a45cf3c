import { expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import { createHeartbeats } from './heartbeats.ts'

// The answer to a heartbeat that waited for the commit of its attempt may come before that of the
// commit, in about one of a million attempts.
it.each([
  { at: 'the first', handler: 'runs', hasReturned: false, losesAt: 1 },
  { at: 'the second', handler: 'has returned', hasReturned: true, losesAt: 2 },
])('loses an attempt at $at heartbeat without a job if its handler $handler', async (given) => {
  let sent = 0
  let lostAt = 0
  const attempt: Attempt = {
    job: { heartbeatSeconds: 0.03 } as ClaimedEntry,
    returned: Promise.resolve(),
    outcome: Promise.resolve('handled'),
    hasReturned: () => given.hasReturned,
    abort: () => undefined,
    lose: () => void (lostAt ||= sent),
    giveUp: () => Promise.resolve(),
  }
  const isClaimed = async () => ((sent += 1), false)
  const onError = (error: unknown) => expect.unreachable(String(error))
  createHeartbeats(new Set([attempt]), isClaimed, onError)()
  await expect.poll(() => lostAt).toBe(given.losesAt)
})
