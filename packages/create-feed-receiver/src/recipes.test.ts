import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runMain } from '../test/run-create.ts'
import { haveApp } from '../test/have-app.ts'
import { frameworks } from './context.ts'

const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url))

let cwd: string
const read = (path: string) => readFileSync(join(cwd, path), 'utf8')

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'recipes-test-'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

describe('--recipe', () => {
  it.each(frameworks)('adds a recipe to a new app with %s', async (template) => {
    const args = [
      'app',
      '--template',
      template,
      '--recipe',
      'incidents',
      '--no-install',
      '--no-git',
    ]
    const { code, stdout } = await runMain(args, { cwd })
    const folder = template === 'next' ? 'feed' : 'src'
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(
          `^Read ${folder}/recipes/incidents/README\\.md to set up this recipe\\.\\n\\n`,
          'm',
        ),
      ),
    ])
    const [starts, creates] = {
      next: ['start-feed.ts', 'create-feed.ts'],
      nest: ['feed.service.ts', 'feed.service.ts'],
    }[template as string] ?? ['app.ts', 'app.ts']
    expect(read(`app/${folder}/${starts}`)).toMatch(
      /^import \{ startRecipes, stopRecipes \} from '\.\/recipes\/index(?:\.ts)?'$/m,
    )
    expect(read(`app/${folder}/${starts}`)).toMatch(/await stopRecipes\(\)\n.*inbox\.stop/)
    expect(read(`app/${folder}/${starts}`)).toMatch(
      /(\S*inbox)\.work\(await startRecipes\(\1, handlers\)\)/,
    )
    expect(read(`app/${folder}/${creates}`)).toContain(
      "createInbox({ database, ordered: 'subject' })",
    )
    expect(read('app/test/incidents.test.ts')).toContain(`'../${folder}/recipes/incidents/index`)
  })

  it('adds code that compiles with the app', async () => {
    const all = 'digest,incidents,model-watch,price-history'
    await runMain(['app', '--recipe', all, '--no-install', '--no-git'], { cwd })
    expect(JSON.parse(read('app/package.json'))).toHaveProperty(['dependencies', 'pg-boss'])
    symlinkSync(modules, join(cwd, 'app/node_modules'))
    // The packages from source need more than an app.
    const lib = ['--lib', 'es2023,es2024.string,esnext.disposable']
    const options = ['--customConditions', '@feed-receiver/source', ...lib]
    expect(
      run('typescript/bin/tsc', '-p', 'app', '--allowImportingTsExtensions', ...options),
    ).toEqual({ status: 0, stdout: '' })
  })

  it.each<[string, { type?: string }, string, string]>([
    ['TypeScript', { type: 'module' }, 'src/app.ts', ''],
    ['JavaScript', { type: 'module' }, 'src/app.js', 'src/recipes/index.js'],
    ['CommonJS', {}, 'src/app.js', 'src/recipes/index.js'],
  ])('adds a recipe to an existing app in %s', async (_, manifest, entry, loaded) => {
    const isCommonJs = manifest.type === undefined
    const code = isCommonJs
      ? "const express = require('express')\nconst app = express()\napp.listen(3000)\n"
      : "import express from 'express'\nconst app = express()\napp.listen(3000)\n"
    const dependencies = { express: '^5.0.0', ...(entry.endsWith('ts') && { typescript: '^6' }) }
    const folder = haveApp({ ...manifest, dependencies }, { [entry]: code })
    const args = ['--into', '.', '--recipe', 'incidents', '--no-install']
    expect(await runMain(args, { cwd: folder })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Read src\/recipes\/incidents\/README\.md to set up this recipe\.\n+The tests of recipes need/m,
      ),
    })
    const route = readFileSync(join(folder, entry.replace('app.', 'feed-route.')), 'utf8')
    expect(route).toContain('async () => inbox.work(await startRecipes(inbox, handlers))')
    expect(route).toMatch(isCommonJs ? /recipes\/index'/ : /recipes\/index\.[jt]s'/)
    const { dependencies: added } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as { dependencies: object }
    expect(added).toHaveProperty(['@feed-receiver/database'])
    if (loaded === '') return
    symlinkSync(modules, join(folder, 'node_modules'))
    const source = ['--import', import.meta.resolve('tsx'), '--conditions=@feed-receiver/source']
    const load = isCommonJs ? `require('./${loaded}')` : `(await import('./${loaded}'))`
    const print = `console.log(typeof ${load}.stopRecipes)`
    const type = isCommonJs ? 'commonjs' : 'module'
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...source, `--input-type=${type}`, '--eval', print],
      { cwd: folder, encoding: 'utf8' },
    )
    expect([stdout, stderr]).toEqual(['function\n', ''])
  })

  it('adds code that compiles for an older target', async () => {
    const all = 'digest,incidents,model-watch,price-history'
    await runMain(['app', '--recipe', all, '--no-install', '--no-git'], { cwd })
    symlinkSync(modules, join(cwd, 'app/node_modules'))
    const compilerOptions = {
      target: 'es2020',
      module: 'esnext',
      moduleResolution: 'bundler',
      types: ['node'],
      strict: true,
      skipLibCheck: true,
      allowImportingTsExtensions: true,
      noEmit: true,
    }
    const config = JSON.stringify({ compilerOptions, include: ['src/recipes'] })
    writeFileSync(join(cwd, 'app/tsconfig.json'), config)
    expect(run('typescript/bin/tsc', '-p', 'app')).toEqual({ status: 0, stdout: '' })
  })

  it('adds only a recipe to an app that receives the feed', async () => {
    await runMain(['app', '--template', 'fastify', '--no-install', '--no-git'], { cwd })
    const before = [read('app/src/app.ts'), read('app/.env')]
    const add = (...recipes: string[]) =>
      runMain(['--into', 'app', '--no-install', ...recipes], { cwd })
    expect(await add()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('src/app.ts creates an inbox, so the app receives the feed'),
    })
    const { code, stdout } = await add('--recipe', 'incidents')
    expect([code, read('app/src/app.ts'), read('app/.env')]).toEqual([0, ...before])
    expect(read('app/src/recipes/index.ts')).toContain("from './incidents/index.ts'")
    expect(stdout).not.toContain('feed-route')
    const lines = [
      "At the top of src/app.ts:\n\n  import { startRecipes, stopRecipes } from './recipes/index.ts'",
      'Where the worker starts:\n\n  await inbox.work(await startRecipes(inbox, handlers))',
      'Before the inbox stops:\n\n  await stopRecipes()',
      "Among the options of createInbox:\n\n  ordered: 'subject',",
    ]
    expect(stdout).toContain(lines.join('\n\n'))

    const second = await add('--recipe', 'digest')
    expect(second.stdout).toContain(`At the top of src/recipes/index.ts:

  import { createDigest } from './digest/index.ts'

Before its return of combineHandlers:

  const digest = await createDigest({ database })
  stops.push(digest.stop)

Among the handlers of combineHandlers:

  digest: digest.handlers,
`)
    expect(JSON.parse(read('app/package.json'))).toHaveProperty(['dependencies', 'pg-boss'])
    expect(read('app/src/recipes/digest/index.ts')).toContain('createDigest')
  })

  it('adds a second recipe to what it added to an app of SvelteKit', async () => {
    const folder = haveApp({ devDependencies: { '@sveltejs/kit': '2.0.0' } })
    const add = (...recipes: string[]) =>
      runMain(['--into', '.', '--no-install', ...recipes], { cwd: folder })
    await add()
    const { stdout } = await add('--recipe', 'model-watch')
    expect(stdout).toContain(
      'Where the worker starts:\n\n  .then(async () => inbox.work(await startRecipes(inbox, handlers)))\n',
    )
    const second = await add('--recipe', 'incidents')
    expect([second.code, second.stderr]).toEqual([0, ''])
    expect(second.stdout).toContain('At the top of src/lib/server/recipes/index.js:')
    expect(second.stdout).toContain(
      'Among the handlers of combineHandlers:\n\n  incidents: await createIncidents({ database }),\n',
    )
  })

  it('adds a recipe beside the handlers of the feed, in their form', async () => {
    const folder = haveApp(
      { type: 'module', dependencies: { express: '^5.0.0' } },
      {
        'src/handlers.cjs': 'module.exports = {}',
        'src/webhooks/feed-handlers.js':
          "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\nexport const handlers = require('./handlers.json')\n",
        'src/webhooks/feed.js':
          "import { createInbox } from '@feed-receiver/inbox'\nimport { handlers } from './feed-handlers.js'\nconst inbox = createInbox({})\nawait inbox.work(handlers)\n",
      },
    )
    const args = ['--into', '.', '--recipe', 'price-history', '--no-install']
    expect(await runMain(args, { cwd: folder })).toMatchObject({ code: 0 })
    const index = readFileSync(join(folder, 'src/webhooks/recipes/index.js'), 'utf8')
    expect(index).toContain("import { createPriceHistory } from './price-history/index.js'")
  })

  it('adds a recipe to an app that was mounted by hand, in one file', async () => {
    const folder = haveApp(
      { dependencies: { express: '^5.0.0' } },
      {
        'app.js': `const express = require('express')
const { createInbox } = require('@feed-receiver/inbox')
const app = express()
const inbox = createInbox({ ordered: 'subject' })
inbox.start().then(() => inbox.work({}))
`,
      },
    )
    const args = ['--into', '.', '--recipe', 'incidents', '--no-install']
    const { code, stdout } = await runMain(args, { cwd: folder })
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("const { startRecipes, stopRecipes } = require('./recipes/index')"),
    ])
    expect(stdout).not.toContain('Among the options')
    const readme = readFileSync(join(folder, 'recipes/incidents/README.md'), 'utf8')
    expect(readme).toContain("from './recipes/incidents/index'")
  })

  it.each(['incidents,outages', 'constructor'])(
    'rejects a recipe that does not exist: %s',
    async (names) => {
      expect(await runMain(['app', '--recipe', names], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^There is no recipe (?:outages|constructor)\. Choose from digest, incidents/,
        ),
      })
    },
  )

  function run(program: string, ...args: string[]) {
    const { status, stdout } = spawnSync(process.execPath, [join(modules, program), ...args], {
      encoding: 'utf8',
      cwd,
    })
    return { status, stdout }
  }
})
