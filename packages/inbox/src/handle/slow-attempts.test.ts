import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { ClaimedJob } from '../queue/queue.ts'
import { watchSlowAttempts } from './slow-attempts.ts'

const job = (entryId: number, groupId: string) => ({
  id: String(entryId),
  data: { entryId },
  groupId,
  retryCount: 0,
  retryLimit: 10,
  heartbeatSeconds: 30,
})

it('names all handlers that run for too long in one error, and none that has returned', async () => {
  const errors: unknown[] = []
  const never = new Promise<void>(() => {})
  const jobs = [job(1, 'outage_started'), job(2, 'release_note'), job(3, 'model_release')]
  const startRun = watchSlowAttempts(
    (one: ClaimedJob) => ({ job: one, returned: one.id === '2' ? Promise.resolve() : never }),
    (error) => errors.push(error),
    30,
  )
  for (const one of jobs) startRun(one)
  await expect.poll(() => errors).toHaveLength(1)
  expect(String(errors[0])).toMatch(
    /2 handlers have run .*: outage_started \(entry 1, attempt 1, 0 s\), model_release \(entry 3, attempt 1, 0 s\)\. /,
  )
})

it('names a handler later if another one was named less than that time ago', async () => {
  const errors: unknown[] = []
  const never = new Promise<void>(() => {})
  const startRun = watchSlowAttempts(
    (one: ClaimedJob) => ({ job: one, returned: never }),
    (error) => errors.push(error),
    60,
  )
  startRun(job(1, 'outage_started'))
  await delay(30)
  startRun(job(2, 'release_note'))
  await expect.poll(() => errors).toHaveLength(2)
  expect(String(errors[0])).not.toContain('entry 2')
  expect(String(errors[1])).toMatch(/2 handlers have run .*entry 1,.*entry 2,/)
})
