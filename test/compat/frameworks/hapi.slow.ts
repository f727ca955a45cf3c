import { describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { makeEvent, path, setupSocket } from '../../contract/harness.ts'
import { describeFramework } from './framework.ts'
import { serveTrap } from './framework-programs.ts'

describeFramework({
  title: 'hapi 21',
  module: '@hapi/hapi',
  install: 'frameworks',
  program: 'hapi',
})

describe('the traps of hapi', () => {
  it.each([
    ['an invalid cookie', { cookie: 'a="' }],
    ['an invalid content type', { 'content-type': 'nonsense' }],
  ])('answer 202 to a plain delivery, and 400 from hapi for %s', async (_, headers) => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'hapi', 'asRoute'))
    expect((await deliver(makeEvent())).status).toBe(202)
    const answer = await deliver(makeEvent(), { headers })
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('"error":"Bad Request"')
    expect(findTrap(answer)?.name).toBe('hapi_parser')
  })

  it('answer 400 from hapi to a body that is not JSON, and 503 to others, if it parses', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'hapi', 'asParsingRoute'))
    const rejected = await deliver(Buffer.from('no JSON'))
    expect([rejected.status, findTrap(rejected)?.name]).toEqual([400, 'hapi_parser'])
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 401 from a login for all routes, unless the receiver comes before it', async () => {
    const behind = await setupSocket(serveTrap('frameworks', 'hapi', 'asRouteBehindLogin'))
    expect((await behind.deliver(makeEvent())).status).toBe(401)
    const beside = await setupSocket(serveTrap('frameworks', 'hapi', 'asExtensionBesideLogin'))
    expect((await beside.deliver(makeEvent())).status).toBe(202)
  })

  it('answer 400 to a malformed chunk before the receiver, if its response bypasses hapi', async () => {
    const serve = serveTrap('frameworks', 'hapi', 'asRawAnswer')
    const { wire, deliver, observations } = await setupSocket(serve)
    const connection = await wire()
    connection.send(`POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`)
    expect((await connection.answer()).status).toBe(400)
    expect(observations).toEqual([])
    expect((await deliver(makeEvent())).status).toBe(202)
  })
})
