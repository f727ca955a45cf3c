import type { MadeAttempt } from '@feed-receiver/sandbox'
import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { attemptLine } from './lines.ts'

const made: MadeAttempt = {
  deliveryId: 1,
  destinationId: 'dst_1',
  eventId: 'evt_1',
  kind: 'live',
  attempt: 1,
  body: JSON.stringify({ type: 'model_release', data: { title: 'A title' } }),
  result: 'accepted',
  cause: 'accepted',
  status: 202,
  responseBody: null,
  errorCode: null,
  durationMs: 7,
  nextDelayMs: null,
  fault: null,
}

it.each([
  [{}, 'good', '202 in 7 ms'],
  [{ result: 'pause', status: 410 }, 'bad', '410 PAUSED'],
  [{ result: 'pause', status: 410, cause: 'late_rejection' }, 'bad', '410 in 7 ms'],
  [{ result: 'retry', status: null, cause: 'timeout' }, 'warn', 'no answer'],
  [{ status: null, cause: 'rendered' }, 'good', 'shown on the page'],
] as const)('prints an attempt with %o', (given, tone, outcome) => {
  const line = attemptLine({ ...made, ...given })
  expect(line.tone).toBe(tone)
  expect(line.text).toMatch(new RegExp(`→ ${outcome} +model_release `))
  expect(line.text).toContain('A title')
  expect(line.text).not.toContain('rendered')
})

it('cuts a Chinese title by the columns that it takes', () => {
  const body = JSON.stringify({ type: 'model_release', data: { title: '模型发布'.repeat(20) } })
  const { text } = attemptLine({ ...made, body }, 82)
  expect(stringWidth(text)).toBe(81)
  expect(text).toMatch(/ 模型发布模型发布模型发布…$/)
})
