import { cpSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { hostCases } from '../../contract/sockets.ts'
import {
  makeEvent,
  overSockets,
  padTo,
  setup,
  setupSocket,
  type Serve,
} from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { describePlatform } from './describe-platform.ts'
import { openPlatformApp, type PlatformApp } from './platform-app.ts'

let program: PlatformApp
let handler: RequestListener
beforeAll(async () => {
  program = openPlatformApp('sveltekit', 'contract-feed.ts', 'src/lib/server/feed.ts')
  await program.run('vite/bin/vite.js', 'build')
  process.env.BODY_SIZE_LIMIT = '2M'
  process.env.ORIGIN = 'https://receiver.example'
  handler = await loadHandler('build')
})

const serve: Serve = async (receiver) => {
  globalThis.contractReceiver = receiver
  return await listen((request, response) => handler(request, response))
}

// It ends a body at BODY_SIZE_LIMIT, and with it the connection.
describePlatform('SvelteKit 2', serve, undefined, { passesLargeBodies: false })
describe('SvelteKit 2', () => {
  hostCases((limits) => setupSocket(serve, limits))
})

it('answers 503 if SvelteKit drops a body without a content type', async () => {
  const { deliver } = await setup(async (receiver) => overSockets(await serve(receiver)))
  const answer = await deliver(makeEvent(), { headers: { 'content-type': undefined } })
  expect(answer.status).toBe(503)
  expect(answer.body).toContain('"code":"body_incomplete"')
})

it('gets 403 from SvelteKit for the content type of a form', async () => {
  const { deliver } = await setup(async (receiver) => overSockets(await serve(receiver)))
  const headers = { 'content-type': 'text/plain' }
  const answer = await deliver(makeEvent(), { headers })
  expect([answer.status, findTrap(answer)?.name]).toEqual([403, 'sveltekit_forms'])
})

it('SvelteKit truncates bodies at 512 KB by default', async () => {
  delete process.env.BODY_SIZE_LIMIT
  cpSync(join(program.folder, 'build'), join(program.folder, 'build-default'), { recursive: true })
  const limited = await loadHandler('build-default')
  const { deliver } = await setup(async (receiver) => {
    globalThis.contractReceiver = receiver
    return overSockets(await listen((request, response) => limited(request, response)))
  })
  expect((await deliver(padTo(524_288))).status).toBe(202)
  const answer = await deliver(padTo(524_289))
  expect(answer.status).toBe(503)
  expect(answer.body).toContain('"code":"client_gone"')
  expect(findTrap(answer)?.name).toBe('receiver_body_cut')
})

it('SvelteKit answers 400 to an invalid Host, unless ORIGIN is set', async () => {
  delete process.env.ORIGIN
  cpSync(join(program.folder, 'build'), join(program.folder, 'build-no-origin'), {
    recursive: true,
  })
  const open = await loadHandler('build-no-origin')
  const { deliver } = await setup(async (receiver) => {
    globalThis.contractReceiver = receiver
    return overSockets(await listen((request, response) => open(request, response)))
  })
  expect((await deliver(makeEvent(), { headers: { host: 'a b' } })).status).toBe(400)
})

async function loadHandler(build: string): Promise<RequestListener> {
  const built = await program.load(`${build}/handler.js`)
  return (built as { handler: RequestListener }).handler
}
