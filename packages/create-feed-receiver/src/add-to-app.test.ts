import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCreate, runMain } from '../test/run-create.ts'
import { version } from './manifest.ts'

let cwd: string
const read = (path: string) => readFileSync(join(cwd, path), 'utf8')
const add = (...args: string[]) => runMain(['--into', '.', '--no-install', ...args], { cwd })

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'into-test-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Writes an existing app. */
function haveApp(manifest: object, files: Record<string, string> = {}): void {
  const all = { 'package.json': `${JSON.stringify(manifest, null, '\t')}\n`, ...files }
  for (const [path, contents] of Object.entries(all)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), contents)
  }
}

/** Every file with its content. */
function everything(): Record<string, string> {
  const paths = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(cwd, path)).isFile())
    .toSorted()
  return Object.fromEntries(paths.map((path) => [path, read(path)]))
}

const express = { name: 'shop', type: 'module', dependencies: { express: '^5.3.0', zod: '^4.0.0' } }

describe('--into', () => {
  it('names the test runner of the app, and the command of its package manager', async () => {
    haveApp(
      { ...express, scripts: { test: 'node --test' }, devDependencies: { typescript: '^5.9.0' } },
      { 'app.js': "import express from 'express'\nconst app = express()\n", 'pnpm-lock.yaml': '' },
    )
    const { stdout } = await add()
    expect(stdout).toContain(
      'Your tests use the runner of Node. For one that handles events, set DATABASE_URL to',
    )
    expect(stdout).toContain('\n  pnpm dlx feed-receiver send outage_started --to http://')
  })

  it('says nothing of tests to an app without a runner', async () => {
    haveApp(express, { 'app.js': "import express from 'express'\nconst app = express()\n" })
    const { stdout } = await add()
    expect(stdout).not.toContain('Your tests use')
    expect(stdout).toContain('\n  npx feed-receiver send outage_started --to http://')
  })

  it('adds two files, and changes only package.json and the .env files', async () => {
    haveApp(express, {
      'src/server.ts': "import express from 'express'\nconst app = express()\n",
      '.env': 'PORT=80',
      '.env.example': 'PORT=\n',
      '.gitignore': 'node_modules/\n.env\n.feed-receiver\n',
    })
    const before = everything()
    const { code, stdout } = await runCreate(['--into', '.', '--no-install'], { cwd })
    expect(code).toBe(0)

    const after = everything()
    const changed = Object.keys(after).filter((path) => after[path] !== before[path])
    // As common presets of linters ask; they allow long strings.
    const comments = changed.flatMap(
      (path) => after[path]?.match(/^ *(?:\/\*\*|\*|\/\/).*$/gm) ?? [],
    )
    expect(comments.filter((line) => line.length > 100)).toEqual([])
    expect(changed).toEqual([
      '.env',
      '.env.example',
      'package.json',
      'src/feed-handlers.ts',
      'src/feed-route.ts',
    ])
    expect(after['.env']).toMatch(/^PORT=80\nFEED_SIGNING_SECRET=feed_whsec_dev_\S+\n$/)
    expect(after['.env.example']).toBe('PORT=\nFEED_SIGNING_SECRET=\n')
    expect(after['package.json']).toContain('\n\t"name": "shop"')
    expect(JSON.parse(after['package.json'] ?? '')).toEqual({
      ...express,
      dependencies: {
        '@feed-receiver/core': `^${version()}`,
        '@feed-receiver/express': `^${version()}`,
        '@feed-receiver/inbox': `^${version()}`,
        ...express.dependencies,
      },
    })
    expect(stdout).toContain(
      "\nAt the top of src/server.ts:\n\n  import { feedRoute, startFeed } from './feed-route.js'\n",
    )
    expect(stdout).toContain(
      "\nBefore every body parser, login and CSRF check:\n\n  app.post('/webhooks/feed', feedRoute)\n",
    )
  })

  it.each(['apps/other/src/feed.ts', 'scripts/backfill.ts', 'e2e/feed.ts'])(
    'adds the feed to an app although a file that is not of it creates an inbox: %s',
    async (path) => {
      haveApp(express, {
        'app.js': 'express()',
        'apps/other/package.json': '{ "name": "other" }',
        [path]: "import { createInbox } from '@feed-receiver/inbox'\ncreateInbox()\n",
      })
      expect(await add()).toMatchObject({ code: 0, stderr: '' })
      expect(read('feed-route.js')).toContain('createInbox(')
    },
  )

  it('fills the empty secret in a .env that was copied from the example', async () => {
    const copied = 'FEED_SIGNING_SECRET=\nPORT=80\n'
    haveApp(express, { 'app.js': 'express()', '.env': copied, '.env.example': copied })
    expect(await add()).toMatchObject({ code: 0 })
    expect(read('.env')).toMatch(/^FEED_SIGNING_SECRET=feed_whsec_dev_\S+\nPORT=80\n$/)
    expect(read('.env.example')).toBe(copied)
  })

  it('skips what it cannot read, or what is too large for code', async () => {
    haveApp(express, {
      'src/app.js': 'express()',
      'public/video.ts': `express()${' '.repeat(2 ** 20)}`,
    })
    symlinkSync('somebody@host.4711', join(cwd, '.#app.js'))
    mkdirSync(join(cwd, 'pgdata'), { mode: 0 })
    const { code, stdout } = await add()
    expect([code, stdout]).toEqual([0, expect.stringContaining('At the top of src/app.js')])
  })

  it('lists every change with --dry-run without making it', async () => {
    haveApp(express, { 'server.js': 'const app = express()' })
    const before = everything()
    const { code, stdout } = await add('--dry-run')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'Would add:',
        '  feed-route.js',
        '  feed-handlers.js',
        `  package.json: dependency @feed-receiver/core ^${version()}`,
        `  package.json: dependency @feed-receiver/inbox ^${version()}`,
        `  package.json: dependency @feed-receiver/express ^${version()}`,
        '  .env: FEED_SIGNING_SECRET',
        '  .gitignore: .env and .feed-receiver/',
        '',
      ].join('\n'),
    })
    expect(everything()).toEqual(before)
  })

  it.each([
    [
      'koa, ES modules',
      { type: 'module', dependencies: { koa: '^3.0.0' } },
      { 'lib/app.js': 'export const app = new Koa()' },
      'lib/feed-route.js',
      './feed-handlers.js',
      "import { feedRoute, startFeed } from './feed-route.js'",
    ],
    [
      'fastify, CommonJS',
      { dependencies: { fastify: '^5.0.0', express: '^5.0.0' } },
      { 'index.js': "const app = require('fastify')()\n" },
      'feed-route.js',
      './feed-handlers',
      "const { feedRoute } = require('./feed-route')",
    ],
    [
      'express, an ES module by its extension in a CommonJS package',
      { dependencies: { express: '^5.0.0' } },
      { 'app.mjs': 'const app = express()' },
      'feed-route.mjs',
      './feed-handlers.mjs',
      "import { feedRoute, startFeed } from './feed-route.mjs'",
    ],
    [
      'koa, CommonJS by its extension in a package of ES modules',
      { type: 'module', dependencies: { koa: '^3.0.0' } },
      { 'app.cjs': 'const app = new Koa()' },
      'feed-route.cjs',
      './feed-handlers.cjs',
      "const { feedRoute, startFeed } = require('./feed-route.cjs')",
    ],
    [
      'fastify, TypeScript that is an ES module by its extension',
      { dependencies: { fastify: '^5.0.0' } },
      { 'app.mts': 'const app = fastify()', 'tsconfig.json': '{}' },
      'feed-route.mts',
      './feed-handlers.mjs',
      "import { feedRoute } from './feed-route.mjs'",
    ],
    [
      'express, TypeScript compiled to CommonJS, which Jest loads',
      { dependencies: { express: '^5.0.0' } },
      {
        'app.ts': "import express from 'express'\nconst app = express()",
        'tsconfig.json': '{ "compilerOptions": { "module": "CommonJS" } } // as before',
      },
      'feed-route.ts',
      './feed-handlers',
      "import { feedRoute, startFeed } from './feed-route'",
    ],
    [
      'express, JavaScript that Babel or Node compiles',
      { dependencies: { express: '^5.0.0' } },
      { 'app.js': "import express from 'express'\nconst app = express()" },
      'feed-route.js',
      './feed-handlers.js',
      "import { feedRoute, startFeed } from './feed-route.js'",
    ],
    [
      'express, CommonJS whose requires have an extension',
      { dependencies: { express: '^5.0.0' } },
      { 'app.js': "const app = require('express')()\napp.use(require('./routes.js'))" },
      'feed-route.js',
      './feed-handlers.js',
      "const { feedRoute, startFeed } = require('./feed-route.js')",
    ],
    [
      'express, TypeScript that names .ts files',
      { type: 'module', dependencies: { express: '^5.0.0' } },
      {
        'main.ts': 'const app = express()',
        'tsconfig.json': '{ "compilerOptions": { "allowImportingTsExtensions": true } }',
      },
      'feed-route.ts',
      './feed-handlers.ts',
      "import { feedRoute, startFeed } from './feed-route.ts'",
    ],
    [
      'next, TypeScript, below src',
      { dependencies: { next: '^16.0.0' } },
      { 'src/app/page.tsx': '', 'tsconfig.json': '{}' },
      'src/feed-receiver.ts',
      './feed-handlers',
      "serverExternalPackages: ['@feed-receiver/inbox'],",
    ],
    [
      'next, JavaScript',
      { dependencies: { next: '^16.0.0' } },
      { 'app/page.js': '' },
      'feed-receiver.js',
      './feed-handlers',
      "serverExternalPackages: ['@feed-receiver/inbox'],",
    ],
  ])('fits %s', async (_, manifest, files, route, imported, line) => {
    haveApp(manifest, files)
    expect(await add()).toMatchObject({ code: 0, stdout: expect.stringContaining(`\n  ${line}\n`) })
    const isRequired = line.includes('require(')
    const form = isRequired
      ? `const { handlers } = require('${imported}')`
      : `import { handlers } from '${imported}'`
    expect(read(route)).toContain(`${form}\n`)
    expect(
      read(route).includes('module.exports = { inbox, retryNow, stopFeed, startFeed, feedRoute }'),
    ).toBe(isRequired)
    const packages = Object.keys(JSON.parse(read('package.json')).dependencies as object)
    for (const name of read(route).match(/@feed-receiver\/\w+/g) ?? []) {
      expect(packages).toContain(name)
    }
    const handlers = Object.keys(everything()).find((path) => path.includes('feed-handlers'))
    const named = join(dirname(route), imported.replace(/\.[cm]?[jt]s$/, ''))
    expect(handlers?.replace(/\.[^.]+$/, '')).toBe(named)
  })

  it.each([
    ['no package.json', () => {}, 'has no package.json'],
    [
      'no framework',
      () => haveApp({ dependencies: { h3: '^2.0.0' } }),
      'include none of next, @svel',
    ],
    ['no App Router', () => haveApp({ dependencies: { next: '^16.0.0' } }), 'the App Router'],
    ['no JSON', () => haveApp({}, { 'package.json': '{' }), 'is not a valid JSON object'],
    [
      'a feed already',
      () => haveApp(express, { 'app.js': 'express()', 'feed-handlers.js': '' }),
      'feed-handlers.js already exists',
    ],
  ])('changes nothing if there is %s', async (_, prepare, why) => {
    prepare()
    const before = everything()
    expect(await add()).toMatchObject({ code: 1, stderr: expect.stringContaining(why) })
    expect(everything()).toEqual(before)
  })
})

describe('--into, and package.json', () => {
  it('changes only the lines of the dependencies', async () => {
    const [before, after] = ['{\n  "files": ["a", "b"],\n', ',\n  "jest": { "bail": true }\n}\n']
    haveApp({}, { 'package.json': `${before}  "dependencies": { "express": "5" }${after}` })
    expect(await add()).toMatchObject({ code: 0 })
    const text = read('package.json')
    expect(text.startsWith(`${before}  "dependencies": {\n    "@feed-receiver/core": `)).toBe(true)
    expect(text.endsWith(`    "express": "5"\n  }${after}`)).toBe(true)
  })

  it('adds dependencies to one that has none', async () => {
    const devDependencies = { '@sveltejs/kit': '*' }
    haveApp({ config: { dependencies: {} }, devDependencies })
    expect(await add()).toMatchObject({ code: 0 })
    const manifest = JSON.parse(read('package.json')) as Record<string, object>
    expect(manifest).toMatchObject({ config: { dependencies: {} }, devDependencies })
    expect(Object.keys(manifest['dependencies'] ?? {})).toEqual([
      '@feed-receiver/core',
      '@feed-receiver/inbox',
    ])
  })
})

describe('the next steps of --into', () => {
  it('have the port of the app', async () => {
    haveApp(express, { 'app.js': 'express().listen(process.env.PORT)', '.env': 'PORT=4321\n' })
    const { stdout } = await add()
    expect(stdout).toContain('--to http://localhost:4321/webhooks/feed\n')
    expect(stdout).not.toContain('in the environment')
  })

  it('enter the folder of the app', async () => {
    haveApp(
      { workspaces: ['apps/*'] },
      {
        'apps/api/package.json': JSON.stringify({ ...express, devDependencies: { prettier: '3' } }),
        'apps/api/app.js': 'express()',
      },
    )
    const { stdout } = await runMain(['--into', 'apps/api', '--no-install'], { cwd })
    const commands = stdout.match(/(?<=^ {2})(?:cd |np[mx] ).*/gm)
    expect(commands).toEqual([
      'cd apps/api',
      'npm install',
      expect.stringMatching(/^npx prettier /),
      expect.stringMatching(/^npx feed-receiver send /),
    ])
  })

  it('have advice on an invalid existing secret', async () => {
    haveApp(express, { 'app.js': 'express()', '.env': 'FEED_SIGNING_SECRET=changeme\n' })
    const { stdout } = await add()
    expect(stdout).toContain('FEED_SIGNING_SECRET in .env is not a signing secret')
    expect(stdout).not.toContain('changeme')
    expect(stdout).toContain('the app will not start')
    expect(read('.env')).toBe('FEED_SIGNING_SECRET=changeme\n')
  })

  it('say that SvelteKit starts with an invalid secret', async () => {
    haveApp(
      { dependencies: { '@sveltejs/kit': '2.0.0' } },
      { '.env': 'FEED_SIGNING_SECRET=changeme\n' },
    )
    const { stdout } = await add()
    expect(stdout).toContain('the app will start, but answer each delivery with 503')
  })
})

describe('--into, and git', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd, encoding: 'utf8' })

  it('ignores the secret and the database if there is no .gitignore', async () => {
    haveApp(express, { 'app.js': 'express()' })
    git('init', '--quiet')
    expect((await add()).stdout).toContain('  .gitignore: .env and .feed-receiver/\n')
    git('add', '--all')
    expect(git('ls-files')).not.toMatch(/^\.env$/m)
  })

  it('prints how to untrack a secret that git tracks', async () => {
    haveApp(express, { 'app.js': 'express()', '.env': 'PORT=80\n' })
    git('init', '--quiet')
    git('add', '--all')
    expect((await add()).stdout).toContain('Untrack it: git rm --cached .env')
  })
})
