import { parseEnv } from 'node:util'
import { secretProblem } from '@feed-receiver/core'
import { describe, expect, it } from 'vitest'
import { developmentSecret, hasValue, isSigningSecret, setLine } from './env-file.ts'

describe('a variable in an .env file', () => {
  it.each([
    ['A=', 'A=1\n'],
    ['A=""\n', 'A=1\n'],
    ['A= # nothing yet\n', 'A=1\n'],
    ['export A=\n', 'A=1\n'],
    ['A =\n', 'A=1\n'],
    ['# A=old\nB=2\nA=\n', '# A=old\nB=2\nA=1\n'],
    ['# A=\nB=2', 'A=1\nB=2'],
    ['B=2', 'B=2\nA=1\n'],
  ])('is set if it has no value: %j', (text, expected) => {
    expect(hasValue(text, 'A')).toBe(false)
    expect(setLine(text, 'A', '1').trimEnd()).toBe(expected.trimEnd())
    expect(parseEnv(setLine(text, 'A', '1'))['A']).toBe('1')
  })

  it.each(['A=1', 'export A=1', "A='1'", 'A = 1'])('has a value: %j', (text) => {
    expect(hasValue(text, 'A')).toBe(true)
  })
})

describe('a signing secret', () => {
  it.each([
    developmentSecret(),
    'feed_whsec_0123456789abcdef',
    'feed_whsec_',
    'whsec_0123456789abcdef',
    'feed_live_0123456789abcdef',
    'changeme',
    ' feed_whsec_0123456789abcdef',
    'feed_whsec_0123456789abcdef ',
    'feed_whsec_0123 456789abcdef',
    'feed_whsec_one,feed_whsec_two',
    'feed_whsec_onefeed_whsec_two',
    'feed_whsec_0123,456789',
    'feed_whsec_0123456789äbcdef',
    'feed_whsec_a+b/c=d~!',
    'feed_whsec_c2VjcmV0LXNlY3JldA==',
    '"feed_whsec_0123456789abcdef"',
    String.raw`feed_whsec_0123456789abcdef\n`,
    'feed_whsec_0123456789abcdef # a comment',
    '\ufefffeed_whsec_0123456789abcdef',
  ])('is valid for this command exactly if it is valid for the receiver: %j', (text) => {
    expect(isSigningSecret(text)).toBe(secretProblem(text) === undefined)
  })
})
