import { expect, it } from 'vitest'
import { diagnoseAddress } from './diagnose-receiver.ts'

it.each([
  ['http://8.8.8.8/feed', 'not an https URL'],
  ['https://user:word@8.8.8.8/feed', 'credentials'],
  ['https://localhost/feed', 'this machine'],
  ['https://127.0.0.1/feed', 'this machine'],
  ['https://10.1.2.3/feed', 'private network'],
  ['https://169.254.169.254/feed', 'link-local'],
  ['https://100.64.0.1/feed', 'carrier'],
  ['https://0x7f000001/feed', 'this machine'],
  ['https://[::1]/feed', 'this machine'],
  ['https://[fd00::1]/feed', 'private network'],
  ['https://[::ffff:127.0.0.1]/feed', 'IPv4 address in it'],
  ['https://203.0.113.7/feed', 'reserved'],
])('warns that the service rejects %s', async (address, why) => {
  const finding = await diagnoseAddress(new URL(address))
  expect(finding).toMatchObject({ verdict: 'warning', says: expect.stringContaining(why) })
  expect(finding.says).not.toMatch(/word@|allowLocal|`/)
})

it.each(['https://8.8.8.8/feed', 'https://172.32.0.1/', 'https://[2606:4700::1111]/feed'])(
  'reports that the service accepts %s',
  async (address) => {
    expect(await diagnoseAddress(new URL(address))).toMatchObject({ verdict: 'ok' })
  },
)
