import { describe, expect, it } from 'vitest'
import { RetryAfter } from '../index.ts'

const inAnHour = () => new Date(Date.now() + 3_600_000)

describe('RetryAfter', () => {
  it.each([
    ['seconds', () => 3_600],
    ['a Date', inAnHour],
    ['the seconds of a header', () => ' 3600 '],
    ['the time of a header', () => inAnHour().toUTCString()],
    ['an ISO time', () => inAnHour().toISOString()],
  ])('accepts %s', (_, when) => {
    const { seconds } = new RetryAfter(when())
    expect(seconds).toBeGreaterThan(3_590)
    expect(seconds).toBeLessThanOrEqual(3_600)
  })

  it('stays between now and a day', () => {
    expect(new RetryAfter(-5).seconds).toBe(0)
    expect(new RetryAfter(new Date(0)).seconds).toBe(0)
    expect(new RetryAfter(Infinity).seconds).toBe(86_400)
  })

  it('says why, or what to pass so that it does', () => {
    expect(new RetryAfter(60, 'The pager is busy.').message).toBe('The pager is busy.')
    const cause = new Error('429 Too Many Requests')
    expect(new RetryAfter(60, undefined, { cause })).toMatchObject({
      message: 'The handler asked for a later retry: 429 Too Many Requests',
      cause,
    })
    expect(new RetryAfter(60).message).toBe(
      'The handler asked for a later retry without a reason. Pass one: new RetryAfter(when, reason).',
    )
  })

  it.each([
    Number('Wed, 21 Oct'),
    'Wed, 21 Oct',
    'soon',
    '',
    new Date(Number.NaN),
    null,
    undefined,
    {},
  ])('rejects %s, so that the backoff applies', (when) => {
    // @ts-expect-error what callers without types pass
    expect(() => new RetryAfter(when)).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })
})
