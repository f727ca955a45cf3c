import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { runMain } from '../../test/run-main.ts'
import { createOutput, createRedaction } from './output.ts'

/** A text after hiding all of these. */
function cleaned(text: string, ...hidden: string[]): string {
  const { hide, clean } = createRedaction()
  for (const each of hidden) hide(each)
  return clean(text)
}

describe('the redaction', () => {
  it.each(['feed_whsec_abc', 'feed_live_abc', 'feed_whsec_a+b/c=', 'FEED_WHSEC_ABC'])(
    'hides %s by its form',
    (secret) => expect(cleaned(`It was ${secret}`)).toBe('It was [hidden]'),
  )

  it.each([
    'It does not begin with feed_whsec_: copy the whole secret.',
    'It is only feed_whsec_.',
    'It begins with "feed_whsec_", and a key with feed_live_…',
  ])('does not hide a prefix alone: %s', (text) => {
    const wrong = ['', 'feed_whsec_', 'feed_whsec', 'feed_whs', 'feed_live_', 'feed_live', 'feed']
    expect(cleaned(text, ...wrong)).toBe(text)
  })

  it('does not hide ordinary words and variable names, even if one is the secret', () => {
    const text = 'The event was sent. FEED_SIGNING_SECRET is not set.'
    expect(cleaned(text, 'e', 'the', 'event', 'sent', 'FEED_SIGNING_SECRET')).toBe(text)
  })

  it('hides a text of 8 characters or more anywhere', () => {
    expect(cleaned('x8characty', '8charact')).toBe('x[hidden]y')
    expect(cleaned('postgres://a:b@c/d fails', 'postgres://a:b@c/d')).toBe('[hidden] fails')
  })

  it('hides a whole secret that begins like another one', () => {
    expect(cleaned('abcdefgh1234', 'abcdefgh', 'abcdefgh1234')).toBe('[hidden]')
  })

  it('hides the password of a URL alone, in both of its forms', () => {
    const url = 'postgres://ada:s3cret%2Fword@db/app'
    expect(cleaned('s3cret%2Fword and s3cret/word', url)).toBe('[hidden] and [hidden]')
  })

  it.each(['postgres://postgres:postgres@db/app', 'postgres://ada:database1@db/database1'])(
    'hides no password of a URL that is the name of its user or database: %s',
    (url) => {
      const names = 'user "postgres", database "database1"'
      expect(cleaned(names, url)).toBe(names)
    },
  )

  it('leaves numbers and names of members in JSON', () => {
    const stdout = new PassThrough()
    const out = createOutput({ stdout, stderr: new PassThrough(), isJson: true })
    out.hide('postgres://ada:12345678@db/app')
    out.result({ 12345678: 12345678, text: 'password 12345678' })
    stdout.end()
    expect(JSON.parse(String(stdout.read()))).toEqual({
      12345678: 12345678,
      text: 'password [hidden]',
    })
  })

  it('hides a secret with quotes inside JSON', () => {
    const secret = 'a "quoted" secret'
    expect(cleaned(JSON.stringify({ secret }), secret)).toBe('{"secret":"[hidden]"}')
  })
})

describe('a wrong secret', () => {
  it.each(['abc', 'whsec_too_short', 'feed', 'feed_whs', 'feed_whsec'])(
    'is rejected with the missing prefix: %s',
    async (FEED_SIGNING_SECRET) => {
      const args = ['send', 'destination_test', '--to', 'http://127.0.0.1:9/']
      const run = await runMain(args, { env: { FEED_SIGNING_SECRET } })
      expect(run).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('does not begin with feed_whsec_: copy the whole secret'),
      })
      expect(run.stderr).not.toContain('[hidden]')
    },
  )

  it('is rejected if it is only the prefix', async () => {
    const args = ['send', 'destination_test', '--to', 'http://127.0.0.1:9/']
    const { stderr } = await runMain(args, { env: { FEED_SIGNING_SECRET: 'feed_whsec_' } })
    expect(stderr).toContain('is only feed_whsec_: copy the whole secret')
  })
})
