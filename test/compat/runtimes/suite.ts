import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusCases } from '../../contract/answers.ts'
import { contentCases } from '../../contract/bodies.ts'
import { deliveryInboxCases } from '../../contract/delivery-inbox.ts'
import { makeEvent } from '../../contract/harness.ts'
import { hostileBodyCases } from '../../contract/hostile-bodies.ts'
import type { ServerTraits } from '../../contract/session.ts'
import { forgeryCases } from '../../contract/signatures.ts'
import { hostCases, socketCases } from '../../contract/sockets.ts'
import type { RuntimeName } from '../../repo/run/runtimes.mjs'
import { createTarget, type DatabaseKind, type TestTarget } from '../../support/databases.ts'
import { until } from '../../support/until.ts'
import type { Framework } from './frameworks.ts'
import { opensOn, startRemote, type Remote } from './remote.ts'
import { remoteInbox } from './remote-inbox.ts'

/** For one runtime, the oldest: frameworks and runtimes do not depend on each other. */
export const allFrameworks: Framework[] = ['express', 'koa', 'fastify', 'fetch']

/** Features that the fetch servers of other runtimes lack. `docs/runtimes.md` lists them. */
const fetchTraits: Partial<Record<RuntimeName, ServerTraits>> = {
  bun: { pipelines: false },
  deno: { closesEarly: false, limitsHeaders: false },
}

/** Tests the kit on one runtime with both databases. */
export function describeRuntime(runtime: RuntimeName, frameworks: Framework[] = ['fetch']): void {
  describeOn(runtime, 'postgres', frameworks)
  describeOn(runtime, 'pglite', ['fetch'])
}

function describeOn(runtime: RuntimeName, kind: DatabaseKind, served: Framework[]): void {
  describe(`${runtime} on ${kind}`, () => {
    let made: TestTarget
    let started: Remote
    const remote = () => started
    beforeAll(async () => {
      made = await createTarget(kind, 'inbox')
      started = await startRemote(runtime, made.target)
    })
    afterAll(async () => {
      started.kill()
      await started.ended
      await made.drop()
    })

    describe.each(served)('%s', (framework) => {
      const open = opensOn(remote, framework)
      const traits = framework === 'fetch' ? fetchTraits[runtime] : undefined
      statusCases(open)
      socketCases(open, traits)
      hostCases(open)
      // They depend on the runtime and the server, but not on the database.
      if (kind === 'postgres') {
        forgeryCases(open)
        contentCases(open)
      }
      // Express, Koa and Fastify use the same server.
      if (kind === 'postgres' && (framework === 'express' || framework === 'fetch')) {
        hostileBodyCases(open, traits)
      }

      it('stores and handles each of 150 concurrent deliveries once', async () => {
        const { deliver, holds } = await open()
        const events = Array.from({ length: 150 }, () => makeEvent())
        const answers = await Promise.all(events.map((event) => deliver(event)))
        expect(answers.map(({ status }) => status)).toEqual(events.map(() => 202))
        expect((await holds()).stored).toBe(150)
        const handled = () => started.call('handled', ...events.map(({ id }) => id))
        await expect.poll(handled, { interval: 200 }).toEqual(events.map(() => 1))
      })
    })

    describe('the inbox', () => {
      deliveryInboxCases(() => remoteInbox(started))

      it('handles an event once, however often it is delivered', async () => {
        const { deliver } = await opensOn(remote, 'fetch')()
        const event = makeEvent()
        for (const status of [202, 200, 200]) expect((await deliver(event)).status).toBe(status)
        await expect.poll(() => started.call('handled', event.id)).toEqual([1])
        expect((await deliver(event)).status).toBe(200)
        await delay(300)
        expect(await started.call('handled', event.id)).toEqual([1])
      })

      it('retries an event whose handler throws, and rolls back its writes', async () => {
        const { deliver } = await opensOn(remote, 'fetch')()
        const { data, ...event } = makeEvent()
        await deliver({ ...event, data: { ...data, title: 'Fails once' } })
        await expect.poll(() => started.call('handled', event.id)).toEqual([2])
      })

      it('loses nothing when the process is killed, and continues in the next one', async () => {
        const { deliver } = await opensOn(remote, 'fetch')()
        const event = makeEvent()
        expect((await deliver(event)).status).toBe(202)
        started.kill()
        expect(await started.ended).toBe('SIGKILL')
        started = await startRemote(runtime, made.target)
        const { deliver: deliverAgain } = await opensOn(remote, 'fetch')()
        expect((await deliverAgain(event)).status).toBe(200)
      })

      it('stops, after which the process exits by itself and the database is free and complete', async () => {
        const { deliver, holds } = await opensOn(remote, 'fetch')()
        const event = makeEvent()
        expect((await deliver(event)).status).toBe(202)
        expect((await holds()).stored).toBe(1)
        await started.stop()
        expect(await started.ended).toBe(0)
        expect(started.errors()).toBe('')
        await using database = openDatabase(made.target)
        await using inbox = createInbox({ database })
        await inbox.start()
        const entry = await until('the entry', () => inbox.entries.get(event.id))
        expect(entry).toMatchObject({ eventId: event.id })
      })
    })
  })
}
