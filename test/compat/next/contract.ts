import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { listen } from '../../contract/listen.ts'
import { describeContract } from '../../contract/suite.ts'
import type { NextVersion } from './global-setup.ts'
import { buildApp, copyApp } from './next-app.ts'

interface NextServer {
  prepare(): Promise<void>
  getRequestHandler(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  close(): Promise<void>
}
type CreateNext = (options: { dev: boolean; dir: string }) => NextServer

/** Runs the whole contract with a production build, in this process, on one socket per test. */
export function describeNextContract(version: NextVersion): void {
  let app: NextServer
  beforeAll(async () => {
    const dir = copyApp(version, 'test/compat/next/apps/contract')
    await buildApp(dir)
    const createNext = createRequire(join(dir, 'package.json'))('next') as CreateNext
    app = createNext({ dev: false, dir })
    await app.prepare()
  })
  afterAll(() => app.close())

  describeContract(`Next ${version}`, (receiver) => {
    globalThis.contractReceiver = receiver
    const handle = app.getRequestHandler()
    return listen((request, response) => void handle(request, response))
  })
}
