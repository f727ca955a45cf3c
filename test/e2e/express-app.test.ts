import { createSender, fixture } from '@feed-receiver/sender'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startChild } from '../support/child.ts'

it('the app of the README receives, handles and stops', { timeout: 60_000 }, async () => {
  const secret = 'feed_whsec_readme_app_0123456789abcdef'
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-app-'))
  const port = await freePort()
  Object.assign(process.env, { FEED_SIGNING_SECRET: secret, PORT: String(port) })
  const program = new URL('../../examples/express-app/app.ts', import.meta.url)
  const child = startChild(program, [], folder)
  const sender = createSender({ secret })
  const event = fixture('outage_started')
  const to = `http://127.0.0.1:${port}/webhooks/feed`

  const status = async () => (await sender.attempt(event, { to })).status
  await expect.poll(status, { timeout: 30_000 }).toBe(202)
  expect(await child.nextLine()).toBe(`Outage: ${event.data.title} (${event.data.source_url})`)
  expect(await status()).toBe(200)

  child.kill('SIGTERM')
  expect(await child.ended).toBe(0)
  await sender.close()
  await rm(folder, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
