import type { RequestListener } from 'node:http'
import { beforeAll, expect, it, vi } from 'vitest'
import { makeEvent, overSockets, setup, type Serve } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { describePlatform } from './describe-platform.ts'
import { openPlatformApp } from './platform-app.ts'

let handler: RequestListener
beforeAll(async () => {
  const program = openPlatformApp('nitro')
  await program.run('nitro/dist/cli/index.mjs', 'build', '--preset', 'node-middleware')
  const built = await program.load('.output/server/index.mjs')
  handler = (built as { middleware: RequestListener }).middleware
})

const serve: Serve = async (receiver) => {
  globalThis.contractReceiver = receiver
  return await listen((request, response) => handler(request, response))
}

describePlatform('Nitro 3', serve, ({ method = 'POST' }) => method !== 'POST')

it('answers 503 for an invalid Host', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { deliver } = await setup(async (receiver) => overSockets(await serve(receiver)))
  expect((await deliver(makeEvent(), { headers: { host: 'a b' } })).status).toBe(503)
})
