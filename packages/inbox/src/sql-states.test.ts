import { DatabaseError } from '@feed-receiver/database'
import { describe, expect, it } from 'vitest'
import { findProblems } from './health/problems.ts'
import { explainFault } from './sql-states.ts'

const context = { queue: { schema: 'feed_inbox' } }

function lost(code: string, message: string): DatabaseError {
  const cause = Object.assign(new Error(message), { code })
  return new DatabaseError('unavailable', `PostgreSQL is gone (${message}). Check it.`, { cause })
}

describe('the fix for a lost connection', () => {
  it.each([
    ['25P03', 'too long for its next statement', 'idle_in_transaction_session_timeout'],
    ['25P04', 'longer than transaction_timeout', 'set transaction_timeout to 0'],
    ['28000', 'rejects the role or its password', 'sslmode=verify-full'],
    ['57P03', 'stops or starts', 'Wait until it accepts connections'],
  ])('is about the cause %s', (code, reason, fix) => {
    expect(explainFault(lost(code, 'ended'), context)).toEqual({
      reason: expect.stringMatching(new RegExp(`${reason} \\(ended, ${code}\\)\\.$`)),
      fix: expect.stringContaining(fix),
    })
  })

  it('is that of the database package for a certificate', () => {
    const error = lost('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')
    const says = 'PostgreSQL is gone (self-signed certificate). Check it.'
    expect(explainFault(error, context)).toEqual({ reason: says, fix: '' })
  })

  it('is not in the health, because health routes are often public', () => {
    const error = lost('28000', 'no pg_hba.conf entry for host "10.0.0.5", user "shop"')
    const down = { code: 'unavailable', error, isPoolExhausted: false }
    const { problems } = findProblems({ explain: () => ({ reason: '', fix: '' }), down })
    expect(problems).toEqual([
      {
        code: 'database_down',
        message: expect.stringMatching(
          /^The database did not answer \(unavailable\)\. Check that /,
        ),
      },
    ])
    expect(JSON.stringify(problems)).not.toMatch(/10\.0\.0\.5|shop/)
  })
})
