import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { findTrap } from '../../../packages/cli/src/conformance/traps/find-trap.ts'
import { makeEvent, padTo, setupSocket } from '../../contract/harness.ts'
import { describeFramework } from './framework.ts'
import { folderOf, serveTrap, type Install } from './framework-programs.ts'

const noJson = Buffer.from('no JSON')

/** The contract on both platforms of Nest, and their traps. */
export function describeNest(major: number, install: Install): void {
  // They also silence Nest.
  beforeAll(() => import(join(folderOf(install), 'nest-express', 'traps.ts')))

  describeFramework({
    title: `NestJS ${major} on Express`,
    module: '@nestjs/core',
    install,
    program: 'nest-express',
  })
  describeFramework({
    title: `NestJS ${major} on Fastify`,
    module: '@nestjs/core',
    install,
    program: 'nest-fastify',
  })

  describe(`the traps of NestJS ${major} on Express`, () => {
    const open = (trap: string) => setupSocket(serveTrap(install, 'nest-express', trap))

    it.each(['asController', 'asModuleMiddleware'])(
      '503 %s, which has no raw body',
      async (trap) => {
        const { deliver } = await open(trap)
        const answer = await deliver(makeEvent())
        expect(answer.status).toBe(503)
        expect(answer.body).toContain('"code":"body_already_read"')
      },
    )

    it('400 and 413 from the parser before a controller, with rawBody', async () => {
      const { deliver, inbox } = await open('asRawBodyController')
      expect((await deliver(makeEvent())).status).toBe(202)
      const [rejected, cut] = [await deliver(noJson), await deliver(padTo(110_000))]
      expect([rejected.status, findTrap(rejected)?.name]).toEqual([400, 'nest_parser'])
      expect([cut.status, findTrap(cut)?.name]).toEqual([413, 'nest_limit'])
      expect(inbox.quarantined).toHaveLength(0)
    })

    it('202 in a controller without the parser', async () => {
      const { deliver } = await open('withoutParser')
      for (const body of [makeEvent(), noJson, padTo(110_000)]) {
        expect((await deliver(body)).status).toBe(202)
      }
    })

    it('403 from a guard before a controller', async () => {
      const { deliver } = await open('behindGuard')
      const answer = await deliver(makeEvent())
      expect([answer.status, findTrap(answer)?.name]).toEqual([403, 'nest_guard'])
    })

    it('404 from Nest if mounted after init', async () => {
      const { deliver } = await open('afterInit')
      const answer = await deliver(makeEvent())
      expect([answer.status, findTrap(answer)?.name]).toEqual([404, 'nest_no_route'])
    })

    it.each(['besideGuardAndPrefix', 'fromProvider'])('202 %s', async (trap) => {
      const { deliver } = await open(trap)
      expect((await deliver(makeEvent())).status).toBe(202)
    })
  })

  describe(`the traps of NestJS ${major} on Fastify`, () => {
    const open = (trap: string) => setupSocket(serveTrap(install, 'nest-fastify', trap))

    it('400 and 415 from the parsers before a controller, with rawBody', async () => {
      const { deliver, inbox } = await open('asRawBodyController')
      expect((await deliver(makeEvent())).status).toBe(202)
      const headers = { 'content-type': 'application/vnd.feed+json' }
      const answers = [await deliver(noJson), await deliver(makeEvent(), { headers })]
      expect(answers.map(({ status }) => status)).toEqual([400, 415])
      expect(answers.map((answer) => findTrap(answer)?.name)).toEqual([
        'nest_parser',
        'nest_parser',
      ])
      expect(inbox.quarantined).toHaveLength(0)
    })

    it('400 from the parsers of Fastify if Nest has none, and 503 for valid JSON', async () => {
      const { deliver } = await open('withoutParser')
      expect((await deliver(noJson)).status).toBe(400)
      expect((await deliver(makeEvent())).status).toBe(503)
    })

    it('202 regardless of guards and prefixes of controllers', async () => {
      const { deliver } = await open('besideGuardAndPrefix')
      expect((await deliver(makeEvent())).status).toBe(202)
    })
  })
}
