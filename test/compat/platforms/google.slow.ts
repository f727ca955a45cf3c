import type { RequestListener, Server } from 'node:http'
import { gzipSync } from 'node:zlib'
import { signDelivery } from '@feed-receiver/core/testing'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import {
  makeEvent,
  overSockets,
  secret,
  setup,
  type Mount,
  type TestRequest,
} from '../../contract/harness.ts'
import { listen } from '../../contract/listen.ts'
import { describeHandlerContract } from '../../contract/suite.ts'
import { leaveOut } from './leave-out.ts'
import { openPlatformApp } from './platform-app.ts'

interface Testing {
  getTestServer(name: string): Server
}

let testing: Testing
beforeAll(async () => {
  const program = openPlatformApp('google')
  await program.load('index.ts')
  testing = program.require('@google-cloud/functions-framework/testing') as Testing
})

const mount: Mount = async (receiver) => {
  globalThis.contractReceiver = receiver
  // The framework returns a server that does not listen yet.
  const [handle] = testing.getTestServer('feed').listeners('request') as [RequestListener]
  return { ...overSockets(await listen(handle)), givesBytes: true }
}

describeHandlerContract('the Functions Framework of Google', leaveOut(isForParser, mount))

/** Requests that its body parsers answer. */
function isForParser({ headers, body = new Uint8Array() }: TestRequest): boolean {
  const { 'content-encoding': encoding, 'content-type': type = '' } = headers
  if (encoding && encoding.toLowerCase() !== 'identity') return true
  if (!type.startsWith('application/json') || body.length === 0) return false
  return /charset=(?!utf-8)/.test(type) || !isJsonObject(Buffer.from(body).toString())
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

describe('the body parsers of Google', () => {
  it.each(['{"cut', 'null', '"text"', '12'])('answer 400 to an authentic %j', async (text) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { deliver, observations } = await setup(mount)
    const answer = await deliver(Buffer.from(text))
    expect(answer.status).toBe(400)
    expect(findTrap(answer)?.name).toBe('express_like_parser')
    expect(observations).toEqual([])
  })

  it('decompress a body, so the receiver answers 415', async () => {
    const { send } = await setup(mount)
    const { headers, body } = signDelivery(makeEvent(), { secret })
    const compressed = { ...headers, 'content-encoding': 'gzip' }
    const answer = await send({ headers: compressed, body: gzipSync(body) })
    expect(answer.status).toBe(415)
    expect(answer.body).toContain('"code":"content_encoding"')
  })
})
