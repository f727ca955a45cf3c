import type { RequestListener } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { hostCases } from '../../contract/sockets.ts'
import { makeEvent, overSockets, setup, setupSocket, type Serve } from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { describePlatform } from './describe-platform.ts'
import { openPlatformApp } from './platform-app.ts'

let handler: RequestListener
beforeAll(async () => {
  const program = openPlatformApp('astro', 'contract-feed.ts', 'src/feed.ts')
  await program.run('astro/astro.js', 'build')
  process.env.ASTRO_NODE_AUTOSTART = 'disabled'
  const built = await program.load('dist/server/entry.mjs')
  handler = (built as { handler: RequestListener }).handler
})

const serve: Serve = async (receiver) => {
  globalThis.contractReceiver = receiver
  return await listen((request, response) => handler(request, response))
}

describePlatform('Astro 5', serve)
describe('Astro 5', () => {
  hostCases((limits) => setupSocket(serve, limits))
})

it('gets 403 from Astro for a delivery without a content type', async () => {
  const { deliver } = await setup(async (receiver) => overSockets(await serve(receiver)))
  const answer = await deliver(makeEvent(), { headers: { 'content-type': undefined } })
  expect([answer.status, findTrap(answer)?.name]).toEqual([403, 'astro_forms'])
})
