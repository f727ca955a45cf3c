import { expect, it, onTestFinished } from 'vitest'
import type { ClaimedEntry } from './claim.ts'
import { createSlowReport } from './slow-attempts.ts'

const limitMs = 500

function attempt(entryId: number, groupId: string, ranMs: number, hasReturned = false) {
  const claimedAt = performance.now() - ranMs
  const job = { data: { entryId }, groupId, retryCount: 0, claimedAt }
  return { job: job as ClaimedEntry, hasReturned: () => hasReturned }
}

it('names all handlers that run for too long in one error, and none that has returned', () => {
  const running = new Set([
    attempt(1, 'outage_started', 1_000),
    attempt(2, 'release_note', 1_000, true),
    attempt(3, 'model_release', 1_000),
    attempt(4, 'outage_resolved', 0),
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
  const running = new Set([attempt(1, 'outage_started', 1_000), attempt(2, 'release_note', 0)])
  const errors: unknown[] = []
  const report = createSlowReport(running, (error) => errors.push(error), limitMs)
  report()
  const reporting = setInterval(report, 10)
  onTestFinished(() => clearInterval(reporting))
  await expect.poll(() => errors).toHaveLength(2)
  expect(String(errors[0])).not.toContain('entry 2')
  expect(String(errors[1])).toMatch(/2 handlers have run .*entry 1,.*entry 2,/)
})
