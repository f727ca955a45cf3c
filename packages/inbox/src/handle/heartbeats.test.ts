import { expect, it } from 'vitest'
import type { Attempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import { createHeartbeats } from './heartbeats.ts'

// The answer to a heartbeat that waited for the commit of its attempt may come before that of the
// commit, in about one of a million attempts.
it.each([
  { isLost: true, handler: 'runs', hasReturned: false },
  { isLost: false, handler: 'has returned', hasReturned: true },
])(
  'loses an attempt without a claim ($isLost) whose handler $handler',
  async ({ isLost, hasReturned }) => {
    let lost = 0
    let sent = 0
    const attempt: Attempt = {
      job: { heartbeatSeconds: 0.03 } as ClaimedEntry,
      returned: Promise.resolve(),
      outcome: Promise.resolve('handled'),
      hasReturned: () => hasReturned,
      abort: () => undefined,
      lose: () => void (lost += 1),
      giveUp: () => Promise.resolve(),
    }
    const running = new Set([attempt])
    const isClaimed = async () => ((sent += 1), false)
    createHeartbeats(running, isClaimed, (error) => expect.unreachable(String(error)))()
    await expect.poll(() => sent).toBeGreaterThanOrEqual(3)
    running.clear()
    expect(lost > 0).toBe(isLost)
  },
)
