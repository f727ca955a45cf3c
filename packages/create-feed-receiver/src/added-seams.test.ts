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
    line: `app.post('/webhooks/feed', require('./feed-route.js').feedRoute)`,
    startLine: `require('./feed-route.js').startFeed()`,
    handlers: handlers.replace('export const handlers', 'module.exports.handlers'),
  },
  'ES modules': {
    manifest: { type: 'module' },
    app: `import express from 'express'\nexport const app = express()\n`,
    line: `app.post('/webhooks/feed', (await import('./feed-route.js')).feedRoute)`,
    startLine: `await import('./feed-route.js').then((feed) => feed.startFeed())`,
    handlers,
  },
}

describe.each(Object.entries(kinds))('a test of an app in %s', (_, kind) => {
  it('imports the app without opening anything, and ends', async () => {
    const { cwd, run } = await place(kind)
    const { ended, printed } = await run(`
      import { app } from './app.js'
      test('the app has routes', () => assert.ok(app.router))`)
    expect(printed).toMatch(/pass 1\b/)
    expect(ended).toBe(0)
    expect(existsSync(join(cwd, '.feed-receiver'))).toBe(false)
  })

  it('retries a failing event now, and stops the feed', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    onTestFinished(database.drop)
    const { run } = await place(kind)
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
async function place({
  manifest,
  app,
  line,
  startLine,
  handlers: code,
}: (typeof kinds)['CommonJS']) {
  const cwd = haveApp({ ...manifest, dependencies: { express: '^5.0.0' } }, { 'app.js': app })
  const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
  expect(stdout).toContain(`add this line:\n\n  ${line}\n`)
  expect(stdout).toContain(`opens nothing:\n\n  ${startLine}\n`)
  writeFileSync(join(cwd, 'app.js'), `${app}${line}\n`)
  writeFileSync(join(cwd, 'feed-handlers.js'), code)
  symlinkSync(modules, join(cwd, 'node_modules'))
  return { cwd, run }

  async function run(test: string, env: Record<string, string> = {}) {
    writeFileSync(join(cwd, 'app.test.mjs'), `${imports}\n${test}\n`)
    const source = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']
    const program = startCommand(process.execPath, [...source, 'app.test.mjs'], {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
    })
    const ended = await program.ended
    return { ended, printed: program.printed }
  }
}
