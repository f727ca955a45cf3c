import { expect, test } from 'vitest'
import { classify } from './classify.ts'

// Written out status by status, so that it shares no logic with the code.
const expected: Record<string, string> = {}
function expectAll(from: number, to: number, words: string): void {
  for (let status = from; status <= to; status++) expected[status] = words
}
expectAll(100, 199, 'retry invalid_status')
expectAll(200, 299, 'accepted accepted')
expectAll(300, 399, 'retry redirect')
expectAll(400, 401, 'pause rejected')
expectAll(402, 402, 'retry unlisted_status')
expectAll(403, 405, 'pause rejected')
expectAll(406, 409, 'retry unlisted_status')
expectAll(410, 410, 'pause rejected')
expectAll(411, 421, 'retry unlisted_status')
expectAll(422, 422, 'pause rejected')
expectAll(423, 428, 'retry unlisted_status')
expectAll(429, 429, 'retry rate_limited')
expectAll(430, 499, 'retry unlisted_status')
expectAll(500, 599, 'retry server_error')
expectAll(600, 999, 'retry invalid_status')

test('classifies every status from 100 to 999 as in the table', () => {
  const seen: Record<string, string> = {}
  for (let status = 100; status <= 999; status++) {
    const { result, cause } = classify(status)
    seen[status] = `${result} ${cause}`
  }
  expect(seen).toEqual(expected)
})

test('pauses on exactly seven statuses [R84]', () => {
  const all = Array.from({ length: 500 }, (_, index) => index + 100)
  const pausing = all.filter((status) => classify(status).result === 'pause')
  expect(pausing).toEqual([400, 401, 403, 404, 405, 410, 422])
})
