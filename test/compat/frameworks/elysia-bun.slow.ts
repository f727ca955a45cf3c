import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusCases } from '../../contract/answers.ts'
import { contentCases } from '../../contract/bodies.ts'
import { makeEvent, padTo } from '../../contract/harness.ts'
import { hostileBodyCases } from '../../contract/hostile-bodies.ts'
import type { ServerTraits } from '../../contract/session.ts'
import { forgeryCases } from '../../contract/signatures.ts'
import { hostCases, socketCases } from '../../contract/sockets.ts'
import { opensOn, startRemoteProcess, type RemoteProcess } from '../runtimes/remote.ts'
import type { ElysiaMethods } from './elysia-process.ts'
import { programCases } from './framework.ts'
import { folderOf } from './framework-programs.ts'

const program = fileURLToPath(new URL('elysia-process.ts', import.meta.url))

let started: RemoteProcess<ElysiaMethods>
beforeAll(async () => {
  const folder = join(folderOf('frameworks'), 'elysia-bun')
  started = await startRemoteProcess('bun', [
    '--conditions=@feed-receiver/source',
    'run',
    program,
    folder,
  ])
})
afterAll(async () => {
  started.kill()
  await started.ended
})

const openWith = (name: string) => opensOn(() => started, name)
const open = openWith('startServer')

// Bun.serve does not support pipelining, see docs/runtimes.md.
const traits: ServerTraits = { pipelines: false, badHostStatus: { '[': 404 } }

describe('Elysia 1 on Bun passes the contract', () => {
  statusCases(open)
  forgeryCases(open)
  contentCases(open)
  socketCases(open, traits)
  hostCases(open, traits)
  hostileBodyCases(open, traits)
})

describe('the program for Elysia 1 on Bun', () => {
  programCases({ title: 'Elysia 1 on Bun', module: 'elysia', install: 'frameworks' }, open)
})

describe('the traps of Elysia on Bun', () => {
  it('answer 400 and 503 if a function names the body', async () => {
    const { deliver } = await openWith('namesBody')()
    expect((await deliver(Buffer.from('no JSON'))).status).toBe(400)
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 422 from a guard with a body schema, and 202 without the parser', async () => {
    const behind = await openWith('behindGuard')()
    expect((await behind.deliver(makeEvent())).status).toBe(422)
    const beside = await openWith('behindGuardWithoutParser')()
    expect((await beside.deliver(makeEvent())).status).toBe(202)
  })

  it('answer 413 from Bun if its limit is below that of the receiver', async () => {
    const { deliver } = await openWith('withSmallBodies')()
    expect((await deliver(padTo(90_000))).status).toBe(202)
    const answer = await deliver(padTo(110_000))
    expect(answer.status).toBe(413)
    expect(answer.body).not.toContain('body_too_large')
  })
})
