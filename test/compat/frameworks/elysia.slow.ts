import { describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { makeEvent, setupSocket } from '../../contract/harness.ts'
import { describeFramework } from './framework.ts'
import { serveTrap } from './framework-programs.ts'

describeFramework({
  title: 'Elysia 1',
  module: 'elysia',
  install: 'frameworks',
  program: 'elysia',
})

describe('the traps of Elysia', () => {
  const open = (trap: string) => setupSocket(serveTrap('frameworks', 'elysia', trap))

  it.each(['namesBody', 'hookNamesBody'])('answer 400 and 503 if a function %s', async (trap) => {
    const { deliver } = await open(trap)
    const rejected = await deliver(Buffer.from('no JSON'))
    expect([rejected.status, findTrap(rejected)?.name]).toEqual([400, 'elysia_parser'])
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 422 from a guard with a body schema', async () => {
    const { deliver } = await open('behindGuard')
    const answer = await deliver(makeEvent())
    expect([answer.status, findTrap(answer)?.name]).toEqual([422, 'elysia_schema'])
  })

  it.each(['hookWithoutParser', 'behindGuardWithoutParser'])('answer 202 %s', async (trap) => {
    const { deliver } = await open(trap)
    expect((await deliver(Buffer.from('no JSON'))).body).toContain('quarantined')
    expect((await deliver(makeEvent())).body).toContain('stored')
  })
})
