import { readdirSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { secretProblem } from '@feed-receiver/core/internal'
import { memoryInbox } from '@feed-receiver/core/testing'
import { describe, expect, it } from 'vitest'
import { appFrameworks } from './context.ts'
import {
  adviseOnSecret,
  developmentSecret,
  hasValue,
  isSigningSecret,
  setLine,
} from './env-file.ts'

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

describe('the advice on an invalid secret', () => {
  const env = { FEED_SIGNING_SECRET: 'changeme' }
  const text = 'FEED_SIGNING_SECRET=changeme\n'
  const inbox = memoryInbox()

  it.each(appFrameworks)('is true for the route that --into adds: %s', async (framework) => {
    const [route = ''] = routesOf(framework)
    const checksAtStart = route.includes('createReceiver({ secrets: secretsFromEnv(env), inbox })')
    const advice = adviseOnSecret(text, framework) ?? ''
    expect(advice.includes('will start, but answer each delivery with 503')).toBe(!checksAtStart)
    expect(advice.includes('so the app will not start')).toBe(checksAtStart)
    if (checksAtStart) {
      expect(() => createReceiver({ secrets: secretsFromEnv(env), inbox })).toThrow(
        'does not begin with feed_whsec_',
      )
    }
    // Until then it reads the secret with each delivery, so that an import needs none.
    expect(route).toContain('secrets: () => secretsFromEnv(env)')
    const receiver = createReceiver({ secrets: () => secretsFromEnv(env), inbox })
    const headers = { 'feed-signature': `t=1,v1=${'a'.repeat(64)}` }
    const delivery = { method: 'POST', headers, body: Buffer.from('{}') }
    expect(await receiver.receive(delivery)).toMatchObject({ status: 503 })
  })

  it('says that a created app does not start', () => {
    expect(adviseOnSecret(text)).toContain('so the app will not start')
    expect(adviseOnSecret('')).toBeUndefined()
    expect(adviseOnSecret(`FEED_SIGNING_SECRET=${developmentSecret()}`)).toBeUndefined()
  })
})

/** The files below the templates of a framework that create a receiver. */
function routesOf(framework: string): string[] {
  const into = new URL('../templates/into/', import.meta.url)
  return readdirSync(into, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith(framework) && path.endsWith('.ts'))
    .map((path) => readFileSync(new URL(path, into), 'utf8'))
    .filter((code) => code.includes('createReceiver({'))
}
