import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createSenderPool, type OpenedTarget } from './sender-pool.ts'
import { createVault, secretPlace, urlPlace } from '../secrets/vault.ts'

it('closes the sender of a destination that nothing is sent to any more', async () => {
  const server = createServer((_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const vault = createVault(Buffer.alloc(32, 1))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`
  const pool = createSenderPool({
    vault,
    baseUrl: () => 'http://127.0.0.1',
    strictDestinations: false,
    idleMs: 200,
  })
  onTestFinished(() => pool.close())
  const target = {
    destinationId: 'dst_1',
    urlSealed: vault.seal(url, urlPlace('dst_1')),
    secretSealed: vault.seal('feed_whsec_of_the_test', secretPlace('dst_1')),
  }
  const attempt = async ({ sender }: OpenedTarget) =>
    await sender.attempt(Buffer.from('{}'), { to: url, id: 'evt_1' })
  const first = await pool.lend(target, async (lent) => {
    expect(await attempt(lent)).toMatchObject({ result: 'accepted' })
    return lent
  })
  const codeOf = async () =>
    await attempt(first).then(
      ({ result }) => result,
      ({ code }) => code,
    )
  await expect.poll(codeOf).toBe('sender_closed')
  const next = await pool.lend(target, async ({ sender, to }) =>
    sender.attempt(Buffer.from('{}'), { to, id: 'evt_2' }),
  )
  expect(next).toMatchObject({ result: 'accepted' })
})
