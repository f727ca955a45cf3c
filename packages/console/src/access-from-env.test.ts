import { expect, it } from 'vitest'
import { accessFromEnv } from './index.ts'

const development = { FEED_SIGNING_SECRET: 'feed_whsec_for_tests_only' }

it('derives the same token at each start in development', () => {
  const access = accessFromEnv(development)
  expect(access).toEqual(accessFromEnv({ ...development, NODE_ENV: 'development' }))
  expect(access?.token).toMatch(/^[\w-]{43}$/)
  expect(new URLSearchParams(access?.hash.slice(1)).get('token')).toBe(access?.token)
  const other = accessFromEnv({ FEED_SIGNING_SECRET: 'feed_whsec_another_one' })
  expect(other?.token).not.toBe(access?.token)
})

it.each([
  ['in production', { ...development, NODE_ENV: 'production' }],
  [
    'in production with an empty token',
    { ...development, NODE_ENV: 'production', FEED_CONSOLE_TOKEN: '' },
  ],
  ['without a signing secret', {}],
])('returns nothing %s', (_, env) => {
  expect(accessFromEnv(env)).toBeUndefined()
})

it.each(['production', 'development'])(
  'puts no token from the environment into a link, in %s',
  (NODE_ENV) => {
    const env = { ...development, NODE_ENV, FEED_CONSOLE_TOKEN: 'a token of the environment' }
    expect(accessFromEnv(env)).toEqual({ token: 'a token of the environment', hash: '' })
  },
)
