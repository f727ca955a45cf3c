import { expect, it, onTestFinished } from 'vitest'
import type { Attempt } from './attempt.ts'
import type { ClaimedEntry } from './claim.ts'
import { createHeartbeats, createSlowReport } from './heartbeats.ts'

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

const limitMs = 500

function runningFor(ranMs: number, entryId: number, groupId: string, hasReturned = false) {
  const claimedAt = performance.now() - ranMs
  const job = { data: { entryId }, groupId, retryCount: 0, claimedAt }
  return { job: job as ClaimedEntry, hasReturned: () => hasReturned }
}

it('names all handlers that run for too long in one error, and none that has returned', () => {
  const running = new Set([
    runningFor(1_000, 1, 'outage_started'),
    runningFor(1_000, 2, 'release_note', true),
    runningFor(1_000, 3, 'model_release'),
    runningFor(0, 4, 'outage_resolved'),
  ])
  const errors: unknown[] = []
  const report = createSlowReport(running, (error) => errors.push(error), limitMs)
  report()
  report()
  expect(errors).toHaveLength(1)
  expect(String(errors[0])).toMatch(
    /2 handlers have run .*: outage_started \(entry 1, attempt 1, 1 s\), model_release \(entry 3, attempt 1, 1 s\)\. /,
  )
})

it('names a handler later if another one was named less than that time ago', async () => {
  const running = new Set([
    runningFor(1_000, 1, 'outage_started'),
    runningFor(0, 2, 'release_note'),
  ])
  const errors: unknown[] = []
  const report = createSlowReport(running, (error) => errors.push(error), limitMs)
  report()
  const reporting = setInterval(report, 10)
  onTestFinished(() => clearInterval(reporting))
  await expect.poll(() => errors).toHaveLength(2)
  expect(String(errors[0])).not.toContain('entry 2')
  expect(String(errors[1])).toMatch(/2 handlers have run .*entry 1,.*entry 2,/)
})
