import { existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, describe, inject, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { startCommand } from '../../../test/support/start-program.ts'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

const handlers = `
  let runs = 0
  export const handlers = {
    outage_started() {
      runs += 1
      if (runs === 1) throw new Error('The page cannot be sent.')
    },
  }`

const kinds = {
  CommonJS: {
    manifest: {},
    app: `const app = require('express')()\nmodule.exports = { app }\n`,
    importLine: "const { feedRoute, startFeed } = require('./feed-route')",
    handlers: handlers.replace('export const handlers', 'module.exports.handlers'),
  },
  'ES modules': {
    manifest: { type: 'module' },
    app: `import express from 'express'\nexport const app = express()\n`,
    importLine: "import { feedRoute, startFeed } from './feed-route.js'",
    handlers,
  },
}

describe.each(Object.entries(kinds))('a test of an app in %s', (_, kind) => {
  it('imports the app without opening anything, and ends', async () => {
    const { cwd, run } = await addTo(kind)
    const { ended, printed } = await run(`
      import { app } from './app.js'
      test('the app has routes', () => assert.ok(app.router))`)
    expect(printed).toMatch(/pass 1\b/)
    expect(ended).toBe(0)
    expect(existsSync(join(cwd, '.feed-receiver'))).toBe(false)
  })

  it('imports the app without a secret, without which the feed does not start', async () => {
    const { run } = await addTo(kind)
    const { ended, printed } = await run(
      `
      import { app } from './app.js'
      import { startFeed, stopFeed } from './feed-route.js'

      test('answers deliveries with 503', async () => {
        assert.throws(startFeed, /There is no signing secret|does not begin with feed_whsec_/)
        const server = app.listen(0, '127.0.0.1')
        await once(server, 'listening')
        const to = 'http://127.0.0.1:' + server.address().port + '/webhooks/feed'
        const headers = { 'feed-signature': 't=1,v1=' + 'a'.repeat(64) }
        const { status } = await fetch(to, { method: 'POST', headers, body: '{}' })
        assert.equal(status, 503)
        server.close()
        await stopFeed()
      })`,
      { FEED_SIGNING_SECRET: 'changeme' },
    )
    expect(printed).toMatch(/pass 1\b/)
    expect(ended).toBe(0)
  })

  it('retries a failing event now, and stops the feed', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(database.drop)
    const { run } = await addTo(kind)
    const source = `
      import { app } from './app.js'
      import { inbox, retryNow, stopFeed } from './feed-route.js'
      import { untilIdle } from '@feed-receiver/inbox/testing'
      import { createSender, fixture } from '@feed-receiver/sender'

      test('handles an event whose first run fails', async () => {
        const server = app.listen(0, '127.0.0.1')
        await once(server, 'listening')
        const to = 'http://127.0.0.1:' + server.address().port + '/webhooks/feed'
        const event = fixture('outage_started')
        const sender = createSender({ secret: process.env.FEED_SIGNING_SECRET })
        assert.equal((await sender.attempt(event, { to })).status, 202)
        await untilIdle(inbox)
        assert.ok((await inbox.entries.list({})).entries[0].isFailing)
        await retryNow()
        await untilIdle(inbox)
        assert.equal((await inbox.entries.get(event.id)).state, 'done')
        await sender.close()
        server.close()
        await stopFeed()
      })`
    const { ended, printed } = await run(source, { DATABASE_URL: database.url })
    expect(printed).toMatch(/pass 1\b/)
    expect(ended).toBe(0)
  })
})

const imports = `
  import assert from 'node:assert'
  import { once } from 'node:events'
  import { test } from 'node:test'`

/** An app to which the feed was added, and a function that runs a test of it with Node's runner. */
async function addTo({ manifest, app, importLine, handlers: code }: (typeof kinds)['CommonJS']) {
  const cwd = haveApp({ ...manifest, dependencies: { express: '^5.0.0' } }, { 'app.js': app })
  const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
  expect(stdout).toContain(`\n\n  ${importLine}\n`)
  const line = "app.post('/webhooks/feed', feedRoute)"
  expect(stdout).toContain(`Before every body parser, login and CSRF check:\n\n  ${line}\n`)
  writeFileSync(join(cwd, 'app.js'), `${importLine}\n${app}${line}\n`)
  writeFileSync(join(cwd, 'feed-handlers.js'), code)
  symlinkSync(modules, join(cwd, 'node_modules'))
  return { cwd, run: (test: string, env?: Record<string, string>) => runTest(cwd, test, env) }
}

async function runTest(cwd: string, test: string, env: Record<string, string> = {}) {
  writeFileSync(join(cwd, 'app.test.mjs'), `${imports}\n${test}\n`)
  const source = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']
  const program = startCommand(process.execPath, [...source, 'app.test.mjs'], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
  })
  const ended = await program.ended
  return { ended, printed: program.printed }
}

const fastify = {
  manifest: { type: 'module', dependencies: { fastify: '^5.0.0' } },
  app: `import { fastify } from 'fastify'\nexport const app = fastify()\n`,
}

describe('the route of an app on Fastify', () => {
  it('starts once the app listens, and stops when it closes', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(database.drop)
    const { run } = await addToFastify()
    const { ended, printed } = await run(
      `
      import { app } from './app.js'
      import { inbox } from './feed-route.js'

      test('the inbox runs while the app listens', async () => {
        await app.inject('/')
        await assert.rejects(inbox.entries.list({}))
        await app.listen({ port: 0 })
        for (;;) {
          try {
            await inbox.entries.list({})
            break
          } catch {
            await new Promise((resolve) => setTimeout(resolve, 50))
          }
        }
        await app.close()
        await assert.rejects(inbox.entries.list({}))
      })`,
      { DATABASE_URL: database.url },
    )
    expect(printed).toMatch(/pass 1\b/)
    expect(ended).toBe(0)
  })

  it('ends an app that listens without a valid secret', async () => {
    const { run } = await addToFastify()
    const { ended, printed } = await run(
      `
      import { app } from './app.js'
      await app.listen({ port: 0 })`, // not in a test, whose runner catches all errors
      { FEED_SIGNING_SECRET: 'changeme' },
    )
    expect(printed).toContain('does not begin with feed_whsec_')
    expect(ended).toBe(1)
  })

  async function addToFastify() {
    const { manifest, app } = fastify
    const cwd = haveApp(manifest, { 'app.js': app })
    const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(stdout).not.toContain('startFeed()\n')
    const importLine = "import { feedRoute } from './feed-route.js'"
    const line = "app.register(feedRoute, { path: '/webhooks/feed' })"
    expect(stdout).toContain(`:\n\n  ${importLine}\n`)
    expect(stdout).toContain(`Before the app listens:\n\n  ${line}\n`)
    writeFileSync(join(cwd, 'app.js'), `${importLine}\n${app}${line}\n`)
    symlinkSync(modules, join(cwd, 'node_modules'))
    return { run: (test: string, env: Record<string, string>) => runTest(cwd, test, env) }
  }
})
