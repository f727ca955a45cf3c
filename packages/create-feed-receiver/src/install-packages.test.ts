import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'
import { readable } from './install-packages.ts'

it.each([
  [
    'npm http fetch GET 200 https://registry.npmjs.org/express 35ms (cache miss)',
    'fetched express',
  ],
  ['npm http fetch GET 200 https://registry.npmjs.org/@types%2fnode 3ms', 'fetched @types/node'],
  [
    'npm http fetch GET 200 http://127.0.0.1:4873/hono/-/hono-4.13.19.tgz 8ms (cache miss)',
    'fetched hono',
  ],
  [
    'npm http cache @hono/node-server@https://registry.npmjs.org/@hono/node-server/-/node-server-2.1.9.tgz 0ms (cache hit)',
    'fetched @hono/node-server',
  ],
  ['npm http fetch GET 404 https://registry.npmjs.org/none 12ms', undefined],
  ["npm warn EBADENGINE   required: { node: '>=22.12.0' },", undefined],
  ['npm error code E404', 'npm error code E404'],
  ['added 38 packages in 3s', 'added 38 packages in 3s'],
  ['Progress: resolved 12, reused 3', 'Progress: resolved 12, reused 3'],
])('shows %s as %s', (line, shown) => {
  expect(readable(line)).toBe(shown)
})

// They would reject the changed package.json in CI, and pg-boss on Node 20.
it.each([
  ['pnpm', 'pnpm-lock.yaml', /^install --no-frozen-lockfile,/],
  ['yarn', 'yarn.lock', /^install,false,/],
])('installs with %s, whatever it requires', async (name, lockfile, called) => {
  const script =
    '#!/bin/sh\necho "$*,$YARN_ENABLE_IMMUTABLE_INSTALLS,$YARN_IGNORE_ENGINES$npm_config_engine_strict" > called\n'
  const cwd = haveApp(
    { dependencies: { express: '^5.0.0' } },
    { [lockfile]: '', [`bin/${name}`]: script, 'app.js': 'express()' },
  )
  chmodSync(join(cwd, 'bin', name), 0o755)
  const env = { PATH: join(cwd, 'bin'), CI: 'true' }
  expect(await runMain(['--into', '.'], { cwd, env })).toMatchObject({ code: 0 })
  const text = readFileSync(join(cwd, 'called'), 'utf8')
  expect(text).toMatch(called)
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < 22 || (major === 22 && minor < 12)
  expect(text.endsWith(isOld ? ',truefalse\n' : ',\n')).toBe(true)
})
