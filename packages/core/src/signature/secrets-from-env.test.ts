import { expect, it } from 'vitest'
import { createReceiver } from '../receiver.node.ts'
import { secretsFromEnv } from './secret.ts'
import { warnOfRejections } from '../rejections/warn-of-rejections.ts'
import { memoryInbox, signDelivery } from '../testing/index.ts'

const [old, next] = ['feed_whsec_old_0123456789', 'feed_whsec_next_0123456789']

it.each([
  ['before a rotation', { FEED_SIGNING_SECRET: old }, [old]],
  ['during one', { FEED_SIGNING_SECRET: old, FEED_SIGNING_SECRET_NEXT: next }, [old, next]],
  ['after one', { FEED_SIGNING_SECRET: next, FEED_SIGNING_SECRET_NEXT: '' }, [next]],
  ['after a rotation, with unchanged variables', { FEED_SIGNING_SECRET_NEXT: next }, [next]],
])('reads the secrets %s', (_, env, expected) => {
  expect(secretsFromEnv(env)).toEqual(expected)
})

it.each(['FEED_SIGNING_SECRET', 'FEED_SIGNING_SECRET_NEXT'])(
  'rejects a development secret in %s in production, without quoting it',
  (name) => {
    const env = { FEED_SIGNING_SECRET: old, [name]: 'feed_whsec_dev_0123456789abcdef' }
    expect(secretsFromEnv({ ...env, NODE_ENV: 'development' })).toContain(env[name])
    const read = () => secretsFromEnv({ ...env, NODE_ENV: 'production' })
    expect(read).toThrow(expect.objectContaining({ code: 'bad_secret' }))
    expect(read).toThrow(`${name} is a development secret`)
    expect(read).not.toThrow('0123456789abcdef')
    expect(secretsFromEnv({ FEED_SIGNING_SECRET: old, NODE_ENV: 'production' })).toEqual([old])
  },
)

it('finds no secret, so creating a receiver fails', () => {
  const secrets = secretsFromEnv({ FEED_SIGNING_SECRET: '' })
  expect(secrets).toEqual([])
  const create = () => createReceiver({ secrets, inbox: memoryInbox() })
  expect(create).toThrow('There is no signing secret')
  expect(create).toThrow('If it is in a file, start with node --env-file=.env.')
})

it('prints the whole advice if a function finds no secret', async () => {
  const warned: string[] = []
  const secrets = () => secretsFromEnv({})
  const observe = warnOfRejections((text) => void warned.push(text))
  const receiver = createReceiver({ secrets, inbox: memoryInbox(), observe })
  await receiver.receive(signDelivery({ no: 'event' }, { secret: old }))
  expect(warned).toEqual([
    expect.stringContaining('There is no signing secret. Pass the one that the service showed you'),
  ])
})

it('reports an invalid secret', () => {
  const secrets = secretsFromEnv({ FEED_SIGNING_SECRET: old, FEED_SIGNING_SECRET_NEXT: `${next} ` })
  const make = () => createReceiver({ secrets, inbox: memoryInbox() })
  expect(make).toThrow('Signing secret 2 of 2 has white space around it')
})
