import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runMain } from '../test/run-create.ts'

let cwd: string
const add = () => runMain(['--into', '.', '--no-install'], { cwd })

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'into-test-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Writes an existing app. */
function haveApp(manifest: object, files: Record<string, string>): void {
  const all = { 'package.json': JSON.stringify(manifest), ...files }
  for (const [path, contents] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), contents)
  }
}

describe('--into, with an existing app', () => {
  const [express, koa, fastify] = ['express', 'koa', 'fastify']
  const path = "{ path: '/webhooks/feed' }"
  const imported = "import { feedRoute, startFeed } from './feed-route.js'"
  it.each<[string, string, string, string, string?]>([
    [express, "const app = require('express')()", '', `app.post('/webhooks/feed', require`],
    [express, "const s = require('express')\nconst web = s()", '', "web.post('/webhooks/feed', r"],
    [koa, "const app = new (require('koa'))()", '', "app.use(require('./feed-route.js').feedRo"],
    [koa, "import App from 'koa'\nconst web = new App({})", 'module', 'web.use((await import('],
    [fastify, "const app = require('fastify')({ logger: true })", '', "app.register(require('./f"],
    [
      fastify,
      "import Fastify, { fastify } from 'fastify'\nconst server = fastify<Server>({})",
      'module',
      `server.register((await import('./feed-route.js')).feedRoute, ${path})`,
    ],
    [
      fastify,
      "import Fastify from 'fastify'\nexport function buildApp() {\n  const app = Fastify()\n}",
      'module',
      `app.register(feedRoute, ${path})`,
      imported,
    ],
    [
      fastify,
      "function build(opts) {\n  const app = require('fastify')(opts)\n  return app\n}",
      '',
      `app.register(require('./feed-route.js').feedRoute, ${path})`,
    ],
    [
      fastify,
      'module.exports = async function (fastify, opts) {\n}',
      '',
      `fastify.register(require('./feed-route.js').feedRoute, ${path})`,
    ],
    [
      fastify,
      'export default async function (instance, opts) {\n}',
      'module',
      `instance.register(feedRoute, ${path})`,
      imported,
    ],
    [
      express,
      "import make from 'express'\nexport const buildApp = () => make()",
      'module',
      "app.post('/webhooks/feed', feedRoute)",
      imported,
    ],
    [
      express,
      "import express from 'express'\nconst app = express()",
      '',
      "app.post('/webhooks/feed', feedRoute)",
      imported,
    ],
  ])('finds the app on %s in %j', async (framework, text, type, line, importLine) => {
    haveApp({ ...(type && { type }), dependencies: { [framework]: '^3.0.0' } }, { 'app.js': text })
    const made = await add()
    expect(made.code).toBe(0)
    expect(made.stdout).toContain('To app.js, before ')
    expect(made.stdout).toContain(`\n  ${line}`)
    const top = importLine === undefined ? [] : [`  ${importLine}`]
    expect(made.stdout.match(/^ {2}import .*/gm) ?? []).toEqual(top)
  })

  it('prefers the file that creates the app to a plugin, and ignores comments', async () => {
    haveApp(
      { dependencies: { fastify: '^5.0.0' } },
      {
        'a.js': 'module.exports = async function (fastify, opts) {}',
        'b.js': "// const app = require('fastify')()\n/*\n * fastify()\n */",
        'lib/server.js': "const server = require('fastify')()",
      },
    )
    expect((await add()).stdout).toContain('To lib/server.js, before the app listens')
  })
})
