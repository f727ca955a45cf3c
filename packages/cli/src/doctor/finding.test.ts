import { expect, it } from 'vitest'
import { diagnoseSkew } from './finding.ts'

it.each([
  ['ok', 0],
  ['ok', 10_000],
  ['ok', -10_000],
  ['warning', 11_000],
  ['warning', -300_000],
  ['failed', 301_000],
  ['failed', -301_000],
])('reports %s for a clock that is %i ms ahead', (verdict, aheadMs) => {
  const at = Date.parse('2026-09-01T12:00:00Z')
  expect(diagnoseSkew('clock', at + aheadMs, { sentMs: at, receivedMs: at })).toMatchObject({
    verdict,
  })
})

it('does not count the duration of the request as clock skew', () => {
  const at = Date.parse('2026-09-01T12:00:00Z')
  const slow = { sentMs: at, receivedMs: at + 60_000 }
  expect(diagnoseSkew('clock', at + 30_000, slow)).toMatchObject({ verdict: 'ok' })
})
