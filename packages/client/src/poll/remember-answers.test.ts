import type { Observation } from '@feed-receiver/core'
import { afterEach, expect, it, vi } from 'vitest'
import { rememberAnswers } from '../index.ts'

afterEach(() => vi.restoreAllMocks())

const wrongSecret: Observation = {
  status: 401,
  reason: 'signature_mismatch',
  durationMs: 1,
  notes: [],
}

it('warns of a rejection, as a receiver without an observer does', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const answers = rememberAnswers()
  answers.observe(wrongSecret)
  expect(emitWarning.mock.calls).toEqual([
    [expect.stringMatching(/rejected with 401 .* pauses the feed/), 'FeedReceiverWarning'],
  ])
  expect(answers.last()).toMatchObject({ status: 401, reason: 'signature_mismatch' })
})

it('calls your observer with every answer, and does not warn then', async () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const seen: string[] = []
  const answers = rememberAnswers(async ({ reason }) => seen.push(reason))
  await answers.observe(wrongSecret)
  await answers.observe({ ...wrongSecret, reason: 'signature_missing' })
  expect(seen).toEqual(['signature_mismatch', 'signature_missing'])
  expect(emitWarning).not.toHaveBeenCalled()
})

it('ignores requests that do not come from the service', () => {
  const answers = rememberAnswers(() => {})
  answers.observe(wrongSecret)
  answers.observe({ ...wrongSecret, reason: 'signature_missing' })
  answers.observe({ ...wrongSecret, reason: 'signature_malformed' })
  // From a health check.
  answers.observe({ ...wrongSecret, status: 405, reason: 'method_not_allowed' })
  expect(answers.last()).toMatchObject({ status: 401, reason: 'signature_mismatch' })
})
