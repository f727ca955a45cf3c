import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, toFetch, type Receiver } from '@feed-receiver/core'
import { toNodeHandler } from '@feed-receiver/core/node'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { toFastify } from '@feed-receiver/fastify'
import { createInbox } from '@feed-receiver/inbox'
import { toKoa } from '@feed-receiver/koa'
import { toNext } from '@feed-receiver/next'
import express from 'express'
import Fastify from 'fastify'
import Koa from 'koa'
import { Pool } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import type { CheckReport } from '../../../packages/cli/src/conformance/check/run-checks.ts'
import { makeUsedFolder } from '../../integration/start-example.ts'
import { startProgram } from '../../support/start-program.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { path } from './make-receiver.ts'
import { checkReceiver, checkUrl, close, listen, secrets } from './run-receiver.ts'
import { freePort } from '../../support/free-port.ts'

const apps = {
  Express: async (receiver: Receiver) => createServer(express().post(path, toExpress(receiver))),
  Koa: async (receiver: Receiver) =>
    createServer(voided(new Koa().use(toKoa(receiver)).callback())),
  Fastify: async (receiver: Receiver) => {
    const app = Fastify()
    await app.register(toFastify(receiver), { path })
    await app.ready()
    return createServer((request, response) => app.routing(request, response))
  },
  Next: async (receiver: Receiver) => createServer(voided(toNodeHandler(toNext(receiver)))),
  'a fetch handler': async (receiver: Receiver) =>
    createServer(voided(toNodeHandler(toFetch(receiver)))),
}

describe('our own receivers pass every check', () => {
  it.concurrent.each(Object.entries(apps))('%s, with an inbox in memory', async (_, makeApp) => {
    const inbox = memoryInbox()
    const make = () => makeApp(createReceiver({ secrets, inbox }))
    const storedCount = async (id: string) => (inbox.entries.has(id) ? 1 : 0)
    const report = await checkReceiver(make, { storedCount })
    expect(notPassed(report)).toEqual([])
    expect(report).toMatchObject(fullScore)
  })

  it('Express with the real inbox on PostgreSQL', async () => {
    const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
    const database = new Pool({ connectionString: url })
    const serve = async (port: number) => {
      const inbox = createInbox({ database: url })
      await inbox.start()
      const server = await apps.Express(createReceiver({ secrets, inbox }))
      return { inbox, server: await listen(server, port) }
    }
    let { inbox, server } = await serve(0)
    const stop = async () => {
      await close(server)
      await inbox.stop()
    }
    const { port } = server.address() as AddressInfo
    const report = await checkUrl(`http://127.0.0.1:${port}${path}`, {
      async storedCount(id) {
        const count = 'select count(*)::int as count from feed_inbox.entry where event_id = $1'
        return (await database.query<{ count: number }>(count, [id])).rows[0]?.count ?? 0
      },
      async restart() {
        await stop()
        const next = await serve(port)
        inbox = next.inbox
        server = next.server
      },
    })
    await stop()
    await database.end()
    expect(notPassed(report)).toEqual([])
    expect(report).toMatchObject(fullScore)
    await drop()
  })

  it('the Express example after a restart', async () => {
    const folder = await makeUsedFolder()
    const port = await freePort()
    Object.assign(process.env, { FEED_SIGNING_SECRET: secrets[0], PORT: String(port) })
    delete process.env.DATABASE_URL
    const start = () =>
      startProgram(new URL('../../../examples/express-app/app.ts', import.meta.url), [], {
        cwd: folder,
      })
    let child = start()
    onTestFinished(() => child.kill('SIGKILL'))
    const url = `http://127.0.0.1:${port}${path}`
    await until('an answer of the example', () => fetch(url).catch(() => false as const), {
      withinMs: 90_000,
    })
    const report = await checkUrl(url, {
      secondSecret: undefined,
      async restart() {
        child.kill('SIGTERM')
        await child.ended
        child = start()
      },
    })
    expect(notPassed(report).filter(({ outcome }) => outcome !== 'not_run')).toEqual([])
    expect(notPassed(report).map(({ name }) => name)).toEqual([
      'stored_once',
      'stored_before_answer',
      'forged_not_stored',
      'key_from_body',
      'rotation',
      'stored_once_after_restart',
    ])
    expect(report.score.percent).toBe(100)
  }, 180_000)
})

const fullScore = { hasPassed: true, score: { percent: 100, notRun: 0 } }

function notPassed({ results }: CheckReport): CheckReport['results'] {
  return results.filter(({ outcome }) => outcome !== 'passed')
}

function voided(
  handle: (...args: Parameters<RequestListener>) => Promise<unknown>,
): RequestListener {
  return (request, response) => void handle(request, response)
}
