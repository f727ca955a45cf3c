import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findApp } from './find-app.ts'
import { findPort } from './add-to-app.ts'

interface Given {
  framework?: string
  scripts?: Record<string, string>
  code?: string
  config?: string
  dotenv?: string
  env?: Record<string, string>
}

it.each<[string, Given, string]>([
  ['nothing sets it', {}, '3000'],
  ['the code sets it', { code: 'app.listen(8080)' }, '8080'],
  ['Fastify gets it as an option', { code: 'await app.listen({ host, port: 8080 })' }, '8080'],
  ['a constant sets it', { code: 'const port = 8080\napp.listen(port)' }, '8080'],
  ['the code has a default', { code: 'app.listen(process.env.PORT ?? 8080)' }, '8080'],
  [
    'the configuration has a default',
    { code: 'app.listen(config.port)', config: 'module.exports = { port: 8080 }' },
    '8080',
  ],
  ['.env sets it', { code: 'app.listen(process.env.PORT || 8080)', dotenv: 'PORT=81\n' }, '81'],
  ['the environment sets it', { dotenv: 'PORT=81\n', env: { PORT: '82' } }, '82'],
  ['it is fixed, whatever PORT is', { code: 'app.listen(8080)', env: { PORT: '82' } }, '8080'],
  ['a script sets it', { scripts: { dev: 'PORT=83 node app.js' }, dotenv: 'PORT=81' }, '83'],
  [
    'Hono serves on it',
    { framework: 'hono', code: 'serve({ fetch: app.fetch, port: 8080 })' },
    '8080',
  ],
  ['Vite uses its default', { framework: '@sveltejs/kit', dotenv: 'PORT=81\n' }, '5173'],
  [
    'Vite gets it as an option',
    { framework: '@sveltejs/kit', scripts: { dev: 'vite dev --port 84' } },
    '84',
  ],
  ['Nuxt reads it from the environment', { framework: 'nuxt', env: { PORT: '82' } }, '82'],
  ['Next gets it as an option', { framework: 'next', scripts: { dev: 'next dev -p 84' } }, '84'],
  ['Next does not read it from .env', { framework: 'next', dotenv: 'PORT=81\n' }, '3000'],
  ['Next reads it from the environment', { framework: 'next', env: { PORT: '82' } }, '82'],
])('finds the port if %s', (_, given, expected) => {
  const { framework = 'express', scripts, code = '', config = '', dotenv = '', env = {} } = given
  const folder = mkdtempSync(join(tmpdir(), 'port-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const manifest = { scripts, dependencies: { [framework]: '*' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'app.js'), code)
  writeFileSync(join(folder, 'settings.js'), config)
  writeFileSync(join(folder, '.env'), dotenv)
  expect(findPort(folder, findApp(folder, undefined), env)).toBe(expected)
})
