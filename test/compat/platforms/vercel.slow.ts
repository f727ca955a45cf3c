import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { makeEvent, overSockets, setup, type Mount, type Served } from '../../contract/harness.ts'
import { describeHandlerContract } from '../../contract/suite.ts'
import { openPlatformApp, type PlatformApp } from './platform-app.ts'
import { startRelay } from './relay.ts'

let relay: Served
let program: PlatformApp
let served: Served
beforeAll(async () => {
  relay = await startRelay()
  program = openPlatformApp('vercel', 'relay-feed.ts')
  served = await startFunction('api/feed.ts')
})
afterAll(async () => {
  await served.close()
  await relay.close()
})

describeHandlerContract(
  'the Node runtime of Vercel',
  mountAt(() => served.port),
)

const olderForm = `
import { fromNode } from '@feed-receiver/core/node'
import { receiver } from '../feed.ts'

export default async function feed(request, response) {
  const { status, headers, body } = await receiver.receive(fromNode(request))
  response.writeHead(status, headers).end(body)
}
`

it('answers 503 in a function of the older form, whose helpers read the body', async () => {
  writeFileSync(join(program.folder, 'api/older-form.mjs'), olderForm)
  const older = await startFunction('api/older-form.mjs')
  onTestFinished(older.close)
  const { deliver } = await setup(mountAt(() => older.port))
  const answer = await deliver(makeEvent())
  expect(answer.status).toBe(503)
  expect(answer.body).toContain('"code":"body_already_read"')
})

function mountAt(port: () => number): Mount {
  return async (receiver) => {
    globalThis.contractReceiver = receiver
    return { ...overSockets({ port: port(), close: async () => {} }), givesBytes: true }
  }
}

/** Starts a function like `vercel dev`. */
async function startFunction(file: string): Promise<Served> {
  const child = fork(program.require.resolve('@vercel/node/dist/dev-server.mjs'), {
    cwd: program.folder,
    execArgv: ['--import', import.meta.resolve('tsx')],
    env: {
      ...process.env,
      VERCEL_DEV_ENTRYPOINT: file,
      RELAY_URL: `http://127.0.0.1:${relay.port}`,
    },
  })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
