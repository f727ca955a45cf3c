import { beforeAll, expect, it } from 'vitest'
import type { Mount, TestRequest } from '../../contract/harness.ts'
import { describeHandlerContract } from '../../contract/suite.ts'
import { startAzureHost, type AzureHost } from './azure-host.ts'
import { leaveOut } from './leave-out.ts'
import { openPlatformApp } from './platform-app.ts'

let host: AzureHost
beforeAll(async () => {
  const program = openPlatformApp('azure')
  host = await startAzureHost(() => program.load('index.ts'))
})

it('registers one Azure function without a key', () => {
  expect(host.registered).toMatchObject([{ name: 'feed' }])
  expect(Object.values(host.registered[0]?.bindings ?? {})).toContainEqual(
    expect.objectContaining({
      type: 'httpTrigger',
      route: 'webhooks/feed',
      methods: ['POST'],
      authLevel: 'anonymous',
    }),
  )
})

// The host sends bytes, or text if its setting for raw bodies is off.
for (const form of ['bytes', 'string'] as const) {
  const mount: Mount = async (receiver) => {
    globalThis.contractReceiver = receiver
    return { ...host, send: (request) => host.send(request, form) }
  }
  describeHandlerContract(`the library of Azure, with ${form},`, leaveOut(isForHost, mount))
}

/** Methods other than the registered one, to which the host responds. */
function isForHost({ method = 'POST' }: TestRequest): boolean {
  return method !== 'POST'
}
