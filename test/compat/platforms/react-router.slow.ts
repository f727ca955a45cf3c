import type { RequestListener } from 'node:http'
import { signDelivery } from '@feed-receiver/core/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  makeEvent,
  overSockets,
  path,
  secret,
  setupSocket,
  type Serve,
} from '../../contract/harness.ts'
import { hostileBodyCases } from '../../contract/hostile-bodies.ts'
import { listen } from '../../contract/listen.ts'
import { describeHandlerContract } from '../../contract/suite.ts'
import { requestBytes } from '../../contract/wire.ts'
import { leaveOut } from './leave-out.ts'
import { until } from '../../support/until.ts'
import { openPlatformApp } from './platform-app.ts'

interface ReactRouterNode {
  createRequestListener(options: { build: unknown }): RequestListener
}

let handler: RequestListener
beforeAll(async () => {
  const program = openPlatformApp('react-router', 'contract-feed.ts', 'app/feed.server.ts')
  await program.run('@react-router/dev/bin.js', 'build')
  const { createRequestListener } = program.require('@react-router/node') as ReactRouterNode
  handler = createRequestListener({ build: await program.load('build/server/index.js') })
})

const serve: Serve = async (receiver) => {
  globalThis.contractReceiver = receiver
  return await listen((request, response) => handler(request, response))
}

describeHandlerContract(
  'React Router 7',
  leaveOut(
    ({ method = 'POST' }) => method !== 'POST',
    async (receiver) => overSockets(await serve(receiver)),
  ),
)

describe('React Router 7', () => {
  hostileBodyCases((limits) => setupSocket(serve, limits))

  it('does not report an aborted upload, so the receiver times it out', async () => {
    const { wire, inbox, observations } = await setupSocket(serve, { deadlineMs: 200 })
    const connection = await wire()
    const request = requestBytes({ path, ...signDelivery(makeEvent(), { secret }) })
    connection.send(request.subarray(0, -1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    connection.destroy()
    await until('it is observed', () => observations.length === 1)
    expect(observations[0]?.reason).toBe('body_timeout')
    expect(inbox.entries.size).toBe(0)
  })
})
