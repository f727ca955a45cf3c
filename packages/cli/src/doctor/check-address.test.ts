import { expect, it } from 'vitest'
import { checkAddress } from './check-address.ts'

it.each([
  ['http://203.0.113.7/feed', 'not https'],
  ['https://user:word@203.0.113.7/feed', 'a user or a password'],
  ['https://localhost/feed', 'private network'],
  ['https://127.0.0.1/feed', 'private network'],
  ['https://10.1.2.3/feed', 'private network'],
  ['https://172.31.0.1/feed', 'private network'],
  ['https://169.254.169.254/feed', 'private network'],
  ['https://100.64.0.1/feed', 'private network'],
  ['https://0x7f000001/feed', 'private network'],
  ['https://[::1]/feed', 'private network'],
  ['https://[fd00::1]/feed', 'private network'],
  ['https://[::ffff:127.0.0.1]/feed', 'private network'],
])('the service refuses %s', async (address, why) => {
  const finding = await checkAddress(new URL(address))
  expect(finding).toMatchObject({ verdict: 'warning', says: expect.stringContaining(why) })
  expect(finding.says).not.toContain('word@')
})

it.each(['https://203.0.113.7/feed', 'https://172.32.0.1/', 'https://[2001:db8::1]/feed'])(
  'the service accepts %s',
  async (address) => {
    expect(await checkAddress(new URL(address))).toMatchObject({ verdict: 'ok' })
  },
)
