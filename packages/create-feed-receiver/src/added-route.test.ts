import { once } from 'node:events'
import { request } from 'node:http'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { startCommand, type RunningProgram } from '../../../test/support/start-program.ts'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'

const secret = 'feed_whsec_of_an_added_route_0123456789'
const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ url: inject('postgresUrl') })
})
afterAll(async () => await database.drop())

/** An app that prints each request and each signal, and obeys its input. */
const code = `
app.use((request, response, next) => {
  console.log('request', request.method)
  next()
})
// HERE
const server = app.listen(0, '127.0.0.1', () => console.log('listening', server.address().port))
const actions = {
  async stop() {
    await feed.stopFeed()
    console.log('stopped, with', ...process.getActiveResourcesInfo())
  },
  end() {
    server.close()
    process.stdin.destroy()
  },
  listen() {
    process.once('SIGTERM', async () => {
      await feed.stopFeed()
      setTimeout(() => process.exit(7), 100)
    })
    console.log('listens')
  },
}
process.stdin.on('data', (text) => actions[String(text).trim()]())
`
const apps = {
  CommonJS: {
    manifest: {},
    code: `const app = require('express')()\n${code}const feed = require('./feed-route.js')\n`,
  },
  'ES modules': {
    manifest: { type: 'module' },
    code: `import express from 'express'\nconst app = express()\n${code}const feed = await import('./feed-route.js')\n`,
  },
}
const kinds = ['CommonJS', 'ES modules'] as const

/** Adds the feed to an app, and starts it. */
async function start(kind: (typeof kinds)[number], DATABASE_URL = database.url) {
  const app = apps[kind]
  const manifest = { ...app.manifest, dependencies: { express: '^5.0.0' } }
  const cwd = haveApp(manifest, { 'app.js': app.code, '.env': `DATABASE_URL=${DATABASE_URL}\n` })
  const { stdout } = await runMain(['--into', '.', '--no-install'], { cwd })
  const edits = stdout.matchAll(/^(?:At the top of|Before|Where) .*:\n\n {2}(.+)\n/gm)
  const [importLine, ...lines] = [...edits].map(([, line]) => line)
  const file = join(cwd, 'app.js')
  writeFileSync(file, `${importLine}\n${app.code.replace('// HERE', lines.join('\n'))}`)
  symlinkSync(modules, join(cwd, 'node_modules'))
  const source = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']
  const { PATH } = process.env
  // In place of the secret in .env.
  const env = { PATH, FEED_SIGNING_SECRET: secret }
  const program = startCommand(process.execPath, [...source, file], { cwd, env, hasInput: true })
  const port = Number(/\d+/.exec(await program.nextLine('listening'))?.[0])
  return { program, port }
}

let deliveries = 0

/** Sends half of a delivery. The result sends the rest, and resolves with the status. */
async function beginDelivery(port: number, program: RunningProgram) {
  const event = fixture('outage_started', { id: `evt_added_${(deliveries += 1)}` })
  const { method, headers, body } = signDelivery(event, { secret })
  const length = { 'content-length': body.length }
  const path = '/webhooks/feed'
  const sent = request({ port, path, method, headers: { ...headers, ...length }, agent: false })
  const answered = once(sent, 'response')
  sent.write(body.subarray(0, 10))
  await program.nextLine('request')
  return async () => {
    sent.end(body.subarray(10))
    const [response] = await answered
    response.resume()
    return Number(response.statusCode)
  }
}

async function deliver(port: number, program: RunningProgram): Promise<number> {
  const finish = await beginDelivery(port, program)
  return await finish()
}

describe.each(kinds)('the route that --into adds to an app in %s', (kind) => {
  it('answers deliveries in flight on SIGTERM, and exits with 0', async () => {
    const { program, port } = await start(kind)
    await expect.poll(() => deliver(port, program)).toBe(202)
    await program.untilPrinted('Outage: ')
    const finish = await beginDelivery(port, program)
    program.kill('SIGTERM')
    await expect.poll(() => deliver(port, program)).toBe(503)
    expect(await finish()).toBe(202)
    expect(await program.ended).toBe(0)
  })

  it('stops without an exit, and leaves nothing that keeps the process running', async () => {
    const { program, port } = await start(kind)
    await expect.poll(() => deliver(port, program)).toBe(202)
    program.send('stop')
    await program.nextLine('stopped')
    expect(await deliver(port, program)).toBe(503)
    program.send('end')
    expect(await program.ended).toBe(0)
  })
})

it('stops retrying a database that is down', async () => {
  const { program, port } = await start('CommonJS', 'postgres://nobody@127.0.0.1:9/none')
  await program.untilPrinted(
    'could not start with its database (DATABASE_URL, or .feed-receiver if unset). Retrying in 5 s.',
  )
  // A delivery tries again at once, in place of the retry that waits.
  expect(await deliver(port, program)).toBe(503)
  program.send('stop')
  expect(await program.nextLine('stopped')).not.toContain('Timeout')
  program.send('end')
  expect(await program.ended).toBe(0)
})

it('leaves the exit to an app with its own listeners', async () => {
  const { program } = await start('CommonJS')
  program.send('listen')
  await program.nextLine('listens')
  expect(await program.stop()).toBe(7)
})
