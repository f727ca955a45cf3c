import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  makeEvent,
  overSockets,
  path,
  setup,
  type Mount,
  type Serve,
  type TestRequest,
} from '../../contract/harness.ts'
import { describeContract, describeHandlerContract } from '../../contract/suite.ts'
import { leaveOut } from './leave-out.ts'
import { openPlatformApp, type PlatformApp } from './platform-app.ts'

const middleware = `
export default defineEventHandler(async (event) => {
  if (event.path === '/traps/behind-reader') await readBody(event)
})
`

let program: PlatformApp
let port: number
beforeAll(async () => {
  program = openPlatformApp('nuxt', 'contract-feed.ts', 'server/feed.ts', 'nuxt')
  const server = join(program.folder, 'server')
  const traps = join(server, 'routes/traps')
  for (const folder of [traps, join(server, 'middleware')]) mkdirSync(folder)
  writeFileSync(join(server, 'middleware/reader.ts'), middleware)
  copyFileSync(join(server, 'routes/webhooks/feed.ts'), join(traps, 'behind-reader.ts'))
  copyFileSync(join(program.folder, 'serverless/feed.post.ts'), join(traps, 'serverless.post.ts'))
  await program.run('nuxt/bin/nuxt.mjs', 'build')
  port = await startServer()
})

const serve: Serve = async (receiver) => {
  globalThis.contractReceiver = receiver
  return { port, close: async () => {} }
}

describeContract('Nuxt 4', serve)
describeHandlerContract(
  'Nuxt 4 with a serverless preset',
  leaveOut(isForPreset, calledAt('/traps/serverless')),
)

describe('the traps of Nuxt 4', () => {
  it('answer 503 if middleware has already read the body', async () => {
    const { deliver } = await setup(servedAt('/traps/behind-reader'))
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 503 with the Node request of a serverless preset, which has no body', async () => {
    const { deliver } = await setup(calledAt(path))
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 200 with a page for a delivery to a missing path', async () => {
    const { deliver, inbox } = await setup(servedAt('/webhooks/fed'))
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(200)
    expect(answer.body).toContain('This app receives the feed')
    expect(inbox.entries.size).toBe(0)
  })
})

/** Starts the build like `node .output/server/index.mjs`, and resolves with its port. */
async function startServer(): Promise<number> {
  // Its own shutdown would block the worker of Vitest.
  Object.assign(process.env, { HOST: '127.0.0.1', PORT: '0', NITRO_SHUTDOWN_DISABLED: '1' })
  const log = vi.spyOn(console, 'log')
  const url = new Promise<string>((resolve) => {
    log.mockImplementation((line: string) => resolve(line.replace('Listening on ', '')))
  })
  await program.load('.output/server/index.mjs')
  const listening = new URL(await url)
  log.mockRestore()
  return Number(listening.port)
}

function servedAt(route: string): Mount {
  return async (receiver) => overSockets(await serve(receiver), route)
}

interface NuxtFetch {
  raw(route: string, options: object): Promise<Response & { _data?: string }>
}

/** Calls the server without a socket, like the presets for Lambda, Netlify and Azure. */
function calledAt(route: string): Mount {
  return async (receiver) => {
    globalThis.contractReceiver = receiver
    const { $fetch } = globalThis as unknown as { $fetch: NuxtFetch }
    return {
      async send(request) {
        const {
          status,
          headers,
          _data: body = '',
        } = await $fetch.raw(route, {
          method: 'POST',
          ...request,
          ignoreResponseError: true,
          responseType: 'text',
          retry: false,
        })
        return { status, headers: Object.fromEntries(headers), body }
      },
      close: async () => {},
      givesBytes: true,
    }
  }
}

/** Methods other than that of the route, and empty headers, which these presets drop. */
function isForPreset({ method = 'POST', headers }: TestRequest): boolean {
  return method !== 'POST' || headers['feed-signature'] === ''
}
