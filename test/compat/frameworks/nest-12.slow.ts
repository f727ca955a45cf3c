import { describe, expect, it } from 'vitest'
import { makeEvent, setupSocket } from '../../contract/harness.ts'
import { describeNest } from './nest.ts'
import { serveTrap } from './framework-programs.ts'

describeNest(12, 'frameworks')

describe.each(['nest-express', 'nest-fastify'] as const)('%s 12 with CSRF protection', (name) => {
  it('answers 202 for a delivery, and 403 for a request from a page of another site', async () => {
    const { deliver } = await setupSocket(serveTrap('frameworks', name, 'behindCsrfProtection'))
    expect((await deliver(makeEvent())).status).toBe(202)
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await deliver(makeEvent(), { headers })).status).toBe(403)
  })
})
