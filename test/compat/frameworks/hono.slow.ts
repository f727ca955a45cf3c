import { describe, expect, it } from 'vitest'
import { makeEvent, setupSocket } from '../../contract/harness.ts'
import { describeFramework } from './framework.ts'
import { serveTrap } from './framework-programs.ts'

describeFramework({
  title: 'Hono 4',
  module: 'hono',
  install: 'frameworks',
  program: 'hono',
  traits: { badHostStatus: 400 },
})

describe('the traps of Hono', () => {
  it('answer 503 if middleware has already read the body', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'hono', 'behindReader'))
    const answer = await deliver(makeEvent())
    expect(answer.status).toBe(503)
    expect(answer.body).toContain('"code":"body_already_read"')
  })

  it('answer 400 from a validator for a body that is not JSON', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', 'hono', 'behindValidator'))
    const answer = await deliver(Buffer.from('no JSON'))
    expect(answer.status).toBe(400)
    expect(answer.body).toContain('Malformed JSON')
  })
})
