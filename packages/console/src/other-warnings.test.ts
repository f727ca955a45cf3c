import { expect, it } from 'vitest'
import { otherWarnings } from '../page/src/other-warnings.ts'

it('shows every warning of the health that has no banner of its own', () => {
  const elsewhere = ['dead', 'failure_rate', 'deliveries_rejected', 'paused_long'] as const
  const codes = [...elsewhere, 'handlers_slow', 'store_failed'] as const
  const warnings = codes.map((code) => ({ code, message: `About ${code}.` }))
  const unread = { code: 'side_unreadable', message: 'Unread.' } as const
  expect(otherWarnings({ warnings: [...warnings, unread], gaps: null })).toEqual([
    { code: 'handlers_slow', message: 'About handlers_slow.' },
    { code: 'store_failed', message: 'About store_failed.' },
    { code: 'side_unreadable', message: 'Unread.' },
  ])
})
