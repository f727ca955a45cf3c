import { describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { makeEvent, padTo, setupSocket } from '../../contract/harness.ts'
import { describeFramework } from './framework.ts'
import { serveTrap } from './framework-programs.ts'

describeFramework({ title: 'h3 2', module: 'h3', install: 'frameworks', program: 'h3' })
describeFramework({ title: 'h3 1', module: 'h3', install: 'frameworks-older', program: 'h3-1' })

describe('the traps of h3', () => {
  it.each([
    ['h3 2', 'frameworks', 'h3'],
    ['h3 1', 'frameworks-older', 'h3-1'],
  ] as const)(
    'answer 503 if middleware of %s has already read the body',
    async (_, install, name) => {
      const { deliver } = await setupSocket(serveTrap(install, name, 'behindReader'))
      const answer = await deliver(makeEvent())
      expect(answer.status).toBe(503)
      expect(answer.body).toContain('"code":"body_already_read"')
    },
  )

  it('answer 202 if middleware of h3 2 has read a copy', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'h3', 'behindReaderOfCopy'))
    expect((await deliver(makeEvent())).status).toBe(202)
  })

  it('answer 413 from h3 2 if its limit is below that of the receiver', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'h3', 'behindLimit'))
    expect((await deliver(padTo(90_000))).status).toBe(202)
    const answer = await deliver(padTo(110_000))
    expect(answer.status).toBe(413)
    expect(answer.body).not.toContain('body_too_large')
    expect(findTrap(answer)?.name).toBe('h3_limit')
  })

  it('answer 500 to an invalid host, through the fetch request of h3 1', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks-older', 'h3-1', 'asWebHandler'))
    expect((await deliver(makeEvent())).status).toBe(202)
    expect((await deliver(makeEvent(), { headers: { host: '[' } })).status).toBe(500)
  })
})
