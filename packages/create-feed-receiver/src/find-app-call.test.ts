import { describe, expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'

const add = (cwd: string) => runMain(['--into', '.', '--no-install'], { cwd })

describe('--into, with an existing app', () => {
  const [express, koa, fastify] = ['express', 'koa', 'fastify']
  const path = "{ path: '/webhooks/feed' }"
  it.each<[string, string, string, string]>([
    [express, "const app = require('express')()", '', "app.post('/webhooks/feed', feedRoute)"],
    [
      express,
      "const s = require('express')\nconst web = s()",
      '',
      "web.post('/webhooks/feed', feedRoute)",
    ],
    [koa, "const app = new (require('koa'))()", '', 'app.use(feedRoute)'],
    [koa, "import App from 'koa'\nconst web = new App({})", 'module', 'web.use(feedRoute)'],
    [
      fastify,
      "const app = require('fastify')({ logger: true })",
      '',
      `app.register(feedRoute, ${path})`,
    ],
    [
      fastify,
      "import Fastify, { fastify } from 'fastify'\nconst server = fastify<Server>({})",
      'module',
      `server.register(feedRoute, ${path})`,
    ],
    [
      fastify,
      "import Fastify from 'fastify'\nexport function buildApp() {\n  const app = Fastify()\n}",
      'module',
      `app.register(feedRoute, ${path})`,
    ],
    [
      fastify,
      "function build(opts) {\n  const app = require('fastify')(opts)\n  return app\n}",
      '',
      `app.register(feedRoute, ${path})`,
    ],
    [
      fastify,
      'module.exports = async function (fastify, opts) {\n}',
      '',
      `fastify.register(feedRoute, ${path})`,
    ],
    [
      fastify,
      'export default async function (instance, opts) {\n}',
      'module',
      `instance.register(feedRoute, ${path})`,
    ],
    [
      express,
      "import make from 'express'\nexport const buildApp = () => make()",
      'module',
      "app.post('/webhooks/feed', feedRoute)",
    ],
    [
      express,
      "import express from 'express'\nconst app = express()",
      '',
      "app.post('/webhooks/feed', feedRoute)",
    ],
  ])('finds the app on %s in %j', async (framework, text, type, line) => {
    const cwd = haveApp(
      { ...(type && { type }), dependencies: { [framework]: '*' } },
      { 'app.js': text },
    )
    const { code, stdout } = await add(cwd)
    expect(code).toBe(0)
    expect(stdout).toContain(`\n  ${line}\n`)
    const [, loaded = ''] = /At the top of app\.js:\n\n {2}(.+)\n/.exec(stdout) ?? []
    const isImported = type === 'module' || text.includes('import ')
    expect(loaded).toMatch(
      isImported
        ? /^import \{ .+ \} from '\.\/feed-route\.js'$/
        : /^const \{ .+ \} = require\('\.\/feed-route'\)$/,
    )
    // The route of Fastify starts with its app.
    expect(loaded.includes('startFeed')).toBe(framework !== fastify)
    expect(stdout.includes('\n  startFeed()\n')).toBe(framework !== fastify)
  })

  it('mounts the route in a class that extends the app, and starts it where that listens', async () => {
    const cwd = haveApp(
      { dependencies: { koa: '^3.0.0' } },
      {
        'lib/app.js':
          "const Koa = require('koa')\nmodule.exports = class App extends Koa {\n  listen(...args) {\n    return super.listen(...args)\n  }\n}",
        'lib/index.js': "const App = require('./app')\nnew App().listen(3000)",
      },
    )
    const { stdout } = await add(cwd)
    expect(stdout).toContain('\n  this.use(feedRoute)\n')
    expect(stdout).toContain('\nAt the top of lib/index.js:\n')
  })

  it('starts the feed in another file that listens', async () => {
    const cwd = haveApp(
      { dependencies: { express: '^5.0.0' } },
      {
        'lib/app.js': "const app = require('express')()\nmodule.exports = app",
        'bin/www': "const app = require('../lib/app')\napp.listen(3000)",
      },
    )
    const { stdout } = await add(cwd)
    expect(stdout).toContain(
      "\nAt the top of lib/app.js:\n\n  const { feedRoute } = require('./feed-route')\n",
    )
    expect(stdout).toContain(
      "\nAt the top of bin/www:\n\n  const { startFeed } = require('../lib/feed-route')\n",
    )
  })

  it('prefers the file that creates the app to a plugin, and ignores comments', async () => {
    const cwd = haveApp(
      { dependencies: { fastify: '^5.0.0' } },
      {
        'a.js': 'module.exports = async function (fastify, opts) {}',
        'b.js': "// const app = require('fastify')()\n/*\n * fastify()\n */",
        'lib/server.js': "const server = require('fastify')()",
      },
    )
    expect((await add(cwd)).stdout).toContain('At the top of lib/server.js:')
  })
})
