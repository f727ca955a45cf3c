import { expect, it } from 'vitest'
import { otherWarnings } from '../page/src/other-warnings.ts'

it('shows every warning of the health that has no banner of its own', () => {
  const codes = ['deliveries_rejected', 'paused_long', 'handlers_slow', 'store_failed'] as const
  const warnings = codes.map((code) => ({ code, message: `About ${code}.` }))
  expect(otherWarnings([...warnings, { code: 'side_unreadable', message: 'Unread.' }])).toEqual([
    { code: 'handlers_slow', message: 'About handlers_slow.' },
    { code: 'store_failed', message: 'About store_failed.' },
    { code: 'side_unreadable', message: 'Unread.' },
  ])
})
