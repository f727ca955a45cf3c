import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/traps/find-trap.ts'
import { root } from '../../repo/check/workspaces.ts'
import { makeEvent, path, setupSocket } from '../../contract/harness.ts'
import { openWire } from '../../contract/wire.ts'
import { startCommand } from '../../support/start-program.ts'
import { describeFramework } from './framework.ts'
import { folderOf, serveTrap } from './framework-programs.ts'

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

  it('crashes on a malformed chunk if the response bypasses hapi', async () => {
    const file = join(folderOf('frameworks'), 'hapi/traps.ts')
    const program = join(root, 'test/compat/frameworks/run-trap.ts')
    const args = [
      '--import',
      'tsx',
      '--conditions=@feed-receiver/source',
      program,
      file,
      'asRawAnswer',
    ]
    const trap = startCommand(process.execPath, args, { cwd: root })
    const port = await trap.nextLine()

    const wire = await openWire(Number(port))
    wire.send(`POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`)
    expect(await trap.ended).toBe(1)
    expect(trap.errors).toContain('Cannot set headers after they are sent')
  })
})
