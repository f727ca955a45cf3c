import { describe, expect, it } from 'vitest'
import { createReceiver } from '../receiver.node.ts'
import { withoutSecrets } from '../rejections/redact.ts'
import { fingerprintOf, readSecrets } from './hmac.node.ts'
import { memoryInbox } from '../testing/index.ts'

const good = 'feed_whsec_0123456789abcdef'

describe('secrets', () => {
  it.each([
    [[], 'There is no signing secret'],
    [[''], 'is empty'],
    [[good, ''], 'Signing secret 2 of 2 is empty'],
    [[` ${good}`], 'has white space around it'],
    [[`${good}\n`], 'has white space around it'],
    [['whsec_0123456789abcdef'], 'does not begin with feed_whsec_'],
    [['feed_live_0123456789abcdef'], 'does not begin with feed_whsec_'],
    [['feed_whsec_'], 'is only feed_whsec_'],
    [['feed_whsec_0123 4567'], 'contains white space'],
    [['feed_whsec_0123\u00a04567'], 'contains white space'],
    [[`${good},${good}`], 'contains feed_whsec_ twice'],
    [[`feed_whsec_${good}`], 'contains feed_whsec_ twice'],
    [['feed_whsec_0123,4567'], 'contains a comma'],
    [['feed_whsec_0123\u20144567'], 'not printable ASCII'],
    [['feed_whsec_0123\u00004567'], 'not printable ASCII'],
    [`"${good}"`, 'has quotes around it'],
    [`'${good}'`, 'has quotes around it'],
    [`${good}\\n`, 'ends with a backslash and a letter'],
    [`${good}\\r\\n`, 'ends with a backslash and a letter'],
    [`${good} # of production`, 'has a comment behind it'],
    [`\ufeff${good}`, 'begins with a byte order mark'],
    [`FEED_SIGNING_SECRET=${good}`, 'begins with the name of a variable'],
    [`export FEED_SIGNING_SECRET=${good}`, 'begins with the name of a variable'],
    ['', 'Signing secret 1 of 1 is empty'],
    ['whsec_0123456789abcdef', 'does not begin with feed_whsec_'],
    [undefined, 'the environment variable is not set'],
  ])('rejects %j when the receiver is created', (secrets, sentence) => {
    const make = () => createReceiver({ secrets, inbox: memoryInbox() })
    expect(make).toThrow(sentence)
    expect(make).toThrow(expect.objectContaining({ code: 'bad_secret' }))
  })

  it.each([good, 'feed_whsec_c2VjcmV0LXNlY3JldA==', 'feed_whsec_c2VjcmV0LXNlY3JldDE='])(
    'accepts a single secret without a list, also with base64 padding: %s',
    (secret) => {
      expect(readSecrets(secret)).toHaveLength(1)
      expect(readSecrets(secret)[0]?.fingerprint).toBe(fingerprintOf(secret))
    },
  )

  it('rejects an unset environment variable', () => {
    const secrets = [process.env.NO_SUCH_SECRET as string]
    expect(() => readSecrets(secrets)).toThrow('the environment variable is not set')
  })

  it('never shows a rejected secret [R195]', () => {
    const wrapped = [`"${good}"`, `${good}\\n`, `${good} # x`, `\ufeff${good}`, `NAME=${good}`]
    const others = ['whsec_very_private', 'feed_live_very_private', `${good},x`]
    for (const bad of [`${good} `, ...wrapped, ...others]) {
      expect(() => readSecrets([bad])).toThrow(expect.not.objectContaining({ message: bad }))
      try {
        readSecrets([bad])
      } catch (error) {
        expect(String(error)).not.toContain(bad.trim())
        expect(String(error)).not.toContain(good)
        // The redactor of logs leaves the advice as it is.
        expect(withoutSecrets(String(error))).toBe(String(error))
      }
    }
  })

  it.each([
    ['client_secret=x1', 'client_secret=***'],
    ['{"access_token": "x1"}', '{"access_token": ***'],
    ['PGPASSWORD = x1', 'PGPASSWORD = ***'],
    ['apiKey: x1', 'apiKey: ***'],
    ['Authorization: Basic dTpw', 'Authorization: Basic ***'],
    ['postgres://u:p/w@host/feed', 'postgres://***@host/feed'],
    ['smtps://me@corp.example:p@ss@host', 'smtps://***@host'],
    ['https://token@host/', 'https://***@host/'],
    ['https://www.npmjs.com/package/@scope/x', 'https://www.npmjs.com/package/@scope/x'],
  ])('are removed from %j', (text, expected) => {
    expect(withoutSecrets(text)).toBe(expected)
  })

  it('have distinct fingerprints that reveal nothing', () => {
    expect(fingerprintOf(good)).toMatch(/^[0-9a-f]{12}$/)
    expect(fingerprintOf(good)).not.toBe(fingerprintOf(`${good}0`))
  })
})
