import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { haveApp } from '../test/have-app.ts'
import { runMain } from '../test/run-create.ts'
import { checkSettings } from './check-settings.ts'
import { findApp } from './find-app.ts'
import type { Recipe } from './recipes.ts'

interface Given {
  type?: 'module'
  /** The range of TypeScript in package.json. */
  range?: string
  /** The installed version. */
  installed?: string
  node?: string
  /** The range of pg-boss in package.json. */
  pgBoss?: string
  config?: string | object
  files?: Record<string, string>
  entry?: string
}

function write(given: Given): string {
  const { type, range, installed, node, pgBoss, config, files = {}, entry = 'app.ts' } = given
  const manifest = {
    ...(type && { type }),
    ...(node && { engines: { node } }),
    dependencies: { express: '^5.0.0', ...(pgBoss && { 'pg-boss': pgBoss }) },
    devDependencies: range === undefined ? {} : { typescript: range },
  }
  return haveApp(manifest, {
    [entry]: 'const app = express()\n',
    ...(installed && {
      'node_modules/typescript/package.json': JSON.stringify({ version: installed }),
    }),
    ...(config !== undefined && {
      'tsconfig.json': typeof config === 'string' ? config : JSON.stringify(config),
    }),
    ...files,
  })
}

function check(given: Given, recipes: readonly Recipe[] = []): string[] {
  const folder = write(given)
  return checkSettings(folder, findApp(folder, undefined), recipes)
}

const options = (compilerOptions: object) => ({ compilerOptions })
const unchecked = { skipLibCheck: true }
const commonJs: Given = { entry: 'app.js' }
const classic = 'resolves modules as "classic"'
const verbatim = 'sets verbatimModuleSyntax'

describe('the settings of an existing app', () => {
  it.each<[title: string, Given, why: string]>([
    ['an old TypeScript', { range: '~4.9.5' }, 'TypeScript before 5.0'],
    ['an old range of TypeScript', { range: '^4.2.0' }, 'TypeScript before 5.0'],
    ['a range that ends before', { range: '>=4.7 <5' }, 'TypeScript before 5.0'],
    ['an old TypeScript that is installed', { range: '*', installed: '4.9.5' }, 'before 5.0'],
    ['moduleResolution classic', { config: options({ moduleResolution: 'Classic' }) }, classic],
    [
      'verbatimModuleSyntax with module commonjs',
      { config: options({ module: 'commonjs', verbatimModuleSyntax: true }) },
      verbatim,
    ],
    [
      'verbatimModuleSyntax with nodenext in a CommonJS package, in a file that it extends',
      {
        config: '{ "extends": ["./base", "./other.json"], /* both */ }',
        files: {
          'base.json': '{ "compilerOptions": { "verbatimModuleSyntax": true, }, } // strict',
          'other.json':
            '{ "compilerOptions": { "module": "NodeNext", "paths": { "//*": ["/*"] } } }',
        },
      },
      verbatim,
    ],
    [
      'verbatimModuleSyntax in a package that it extends',
      {
        config: { extends: '@shop/config', ...options({ module: 'node16' }) },
        files: {
          'node_modules/@shop/config/tsconfig.json':
            '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
        },
      },
      verbatim,
    ],
  ])('are rejected without a change if there is %s', async (_, given, why) => {
    const cwd = write(given)
    const { code, stdout, stderr } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).toContain('nothing was changed')
  })

  it.each<[title: string, Given, notes: string[]]>([
    [
      'TypeScript 5.3',
      { range: '^5.9.0', installed: '5.3.3', config: options(unchecked) },
      ['need TypeScript 5.4 or newer'],
    ],
    [
      'TypeScript 5.6 that checks libraries',
      { range: '5.6.x', config: options({ module: 'nodenext' }) },
      ['Set "skipLibCheck": true in tsconfig.json'],
    ],
    [
      'no interop of default imports',
      { range: '^5.9.0', config: options({ module: 'esnext', moduleResolution: 'node' }) },
      ['Set "esModuleInterop": true in tsconfig.json'],
    ],
    ...[{ module: 'es2022' }, { target: 'ES2022' }].map((given): [string, Given, string[]] => [
      `moduleResolution classic by the default for ${JSON.stringify(given)}`,
      { range: '^5.9.0', config: options({ ...given, ...unchecked }) },
      ['Set "moduleResolution" in tsconfig.json'],
    ]),
    ['an older Node', { node: '>=18' }, ['need Node 20.19']],
    ['an older Node among others', { node: '^22.12.0 || ^20.9' }, ['need Node 20.19']],
    ['an older Node below a newest', { node: '<23' }, ['packages need Node 20.19 or newer']],
    ...['>=20.19', '>=21', '^22.0.0', '22.x', '22', '>=20.19 <23', '20.19 - 22', '~22.11'].map(
      (node): [string, Given, string[]] => [
        `a Node that cannot require the packages: ${node}`,
        { ...commonJs, node },
        ['Set its "node" to "^20.19 || >=22.12"'],
      ],
    ),
    [
      'such a Node for TypeScript that is compiled to CommonJS',
      { range: '~5.9.0', node: '>=20.19', config: options({ module: 'node16' }) },
      ['Set its "node" to "^20.19 || >=22.12"'],
    ],
  ])('get advice if there is %s', (_, given, notes) => {
    expect(check(given)).toEqual(notes.map((note) => expect.stringContaining(note)))
  })

  it.each<[title: string, Given, note: string]>([
    ['an old pg-boss', { pgBoss: '^10.3.0' }, 'needs pg-boss 12.35 or newer'],
    [
      'a CommonJS that cannot import pg-boss',
      { range: '~5.9.0', config: options({ module: 'node16' }) },
      'imports pg-boss, an ES module',
    ],
  ])('get advice for the recipe digest if there is %s', (_, given, note) => {
    expect(check(given)).toEqual([])
    expect(check(given, ['digest'])).toEqual([expect.stringContaining(note)])
  })

  it.each<[title: string, Given]>([
    ['nothing', {}],
    ['an unknown TypeScript', { range: 'catalog:', config: options({ module: 'nodenext' }) }],
    ['a range up to a newer TypeScript', { range: '^5.0.0', config: options(unchecked) }],
    ['a newer TypeScript than in package.json', { range: '~4.9.0', installed: '5.9.3' }],
    ['TypeScript 5.6', { range: '~5.6.0', config: options(unchecked) }],
    [
      'TypeScript 5.7 that checks libraries',
      { range: '~5.7.0', config: options({ module: 'commonjs', esModuleInterop: true }) },
    ],
    ...['es2015', 'ES6', 'es2020', 'esnext'].map((module): [string, Given] => [
      `module ${module} with the resolution of node`,
      {
        range: '~5.4.0',
        config: options({
          module,
          moduleResolution: 'node',
          verbatimModuleSyntax: true,
          ...unchecked,
        }),
      },
    ]),
    [
      'verbatimModuleSyntax in ES modules',
      { type: 'module', config: options({ module: 'nodenext', verbatimModuleSyntax: true }) },
    ],
    [
      'verbatimModuleSyntax in an entry that is an ES module by its name',
      {
        entry: 'app.mts',
        range: '~5.9.0',
        config: options({ module: 'nodenext', verbatimModuleSyntax: true }),
      },
    ],
    [
      'verbatimModuleSyntax in a file that only refers to others',
      {
        range: '~5.9.0',
        config: {
          files: [],
          references: [{ path: './tsconfig.app.json' }],
          ...options({ module: 'commonjs', verbatimModuleSyntax: true, ...unchecked }),
        },
      },
    ],
    [
      'an inherited option that is unset',
      {
        range: '~5.9.0',
        config: options({ module: null, ...unchecked, moduleResolution: 'node' }),
      },
    ],
    ['the default of TypeScript 7', { range: '^7.0.0', config: options({ module: 'esnext' }) }],
    [
      'the generated file not yet there',
      { range: '^5.6.0', config: { extends: './.svelte-kit/tsconfig.json' } },
    ],
    ['a malformed file', { range: '~5.6.0', config: '{' }],
    [
      'a comment in place of a setting',
      {
        range: '~5.9.0',
        config:
          '{ "compilerOptions": { // "moduleResolution": "classic",\n"skipLibCheck": true } }',
      },
    ],
    [
      'JavaScript',
      { entry: 'app.js', range: '~4.9.0', config: options({ moduleResolution: 'classic' }) },
    ],
    ['Node 20.19', { node: '>=20.19.0' }],
    ['Node 22 by name', { node: '22.x' }],
    ...['^20.19 || >=22.12', '20.19.x', '>=20.19 <21', '^22.12.0', '24', '*'].map(
      (node): [string, Given] => [`Node ${node} in CommonJS`, { ...commonJs, node }],
    ),
    [
      'Node 20.19 in a JavaScript app with imports',
      { ...commonJs, type: 'module', node: '>=20.19' },
    ],
    ['any Node', { node: '*' }],
  ])('are fine with %s', (_, given) => {
    expect(check(given)).toEqual([])
  })
})

describe('the framework of an existing app', () => {
  const entries: Record<string, string> = {
    express: "const app = require('express')()\n",
    koa: "const app = new (require('koa'))()\n",
    fastify: "const app = require('fastify')()\n",
    next: '',
  }
  const add = (name: string, range: string, files: Record<string, string> = {}) => {
    const manifest = { dependencies: { [name]: range } }
    const cwd = haveApp(manifest, { 'app.js': entries[name] ?? '', 'app/page.js': '', ...files })
    return runMain(['--into', '.', '--no-install'], { cwd })
  }

  it.each([
    ['express', '^3.21.2', 'express before 4.21'],
    ['express', '~4.20.0', 'express before 4.21'],
    ['koa', '~2.15.0', 'koa before 2.16'],
    ['fastify', '^4.28.1', 'fastify before 5.0'],
    ['next', '14.2.5', 'next before 15.0'],
  ])('is rejected without a change if it is %s %s', async (name, range, why) => {
    const { code, stdout, stderr } = await add(name, range)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).toContain(`nothing was changed. Update ${name} first.`)
  })

  it.each([
    ['express', '^4.17.1'],
    ['koa', '2.x'],
    ['fastify', '>=4'],
    ['next', 'canary'],
    ['next', '15.0.0-rc.1'],
  ])('may be %s %s', async (name, range) => {
    expect(await add(name, range)).toMatchObject({ code: 0, stderr: '' })
  })

  it('is the installed one if Nest brings it', async () => {
    const cwd = haveApp(
      { dependencies: { '@nestjs/core': '^10.0.0', '@nestjs/platform-fastify': '^10.0.0' } },
      {
        'main.ts': 'const app = await NestFactory.create(AppModule)\n',
        'tsconfig.json': '{}',
        'node_modules/fastify/package.json': '{ "version": "4.28.1" }',
      },
    )
    const { code, stderr } = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toContain('fastify before 5.0')
    expect(stderr).toContain('Update Nest first.')
    // Another package may have brought the old one.
    const own = 'node_modules/@nestjs/platform-fastify/node_modules/fastify'
    mkdirSync(join(cwd, own), { recursive: true })
    writeFileSync(join(cwd, own, 'package.json'), '{ "version": "5.2.0" }')
    const added = await runMain(['--into', '.', '--no-install'], { cwd })
    expect(added.stderr).not.toContain('Update Nest first.')
  })
})

describe('the tests of an existing app with Jest', () => {
  const add = async (manifest: object, files: Record<string, string>) => {
    const cwd = haveApp(manifest, files)
    return (await runMain(['--into', '.', '--no-install'], { cwd })).stdout
  }
  const express = { dependencies: { express: '^5.0.0' } }
  const app = { 'app.js': "const app = require('express')()\n" }
  const swc = String.raw`"\\.[cm]?js$": ["@swc/jest", { "module": { "type": "commonjs" } }]`

  it('need a transform of the packages', async () => {
    const stdout = await add({ ...express, devDependencies: { jest: '^30.0.0' } }, app)
    expect(stdout).toContain(`\n  "transform": { ${swc} },\n  "transformIgnorePatterns": []\n`)
    expect(stdout).not.toContain('Jest before 28')
  })

  it('keep the transform of ts-jest', async () => {
    const devDependencies = { jest: '^29.0.0', 'ts-jest': '^29.0.0', typescript: '~5.9.0' }
    const typed = {
      'app.ts': "import express from 'express'\nexport const app = express()\n",
      'tsconfig.json': '{ "compilerOptions": { "module": "commonjs", "esModuleInterop": true } }',
    }
    expect(await add({ ...express, devDependencies }, typed)).toContain(
      String.raw`"transform": { "\\.tsx?$": "ts-jest", ${swc} },`,
    )
  })

  it('need a Jest that knows "exports"', async () => {
    const stdout = await add({ ...express, devDependencies: { jest: '^26.6.3' } }, app)
    expect(stdout).toContain('Jest before 28 cannot load the packages')
  })

  it.each<[string, object, Record<string, string>]>([
    ['ES modules', { type: 'module', ...express, devDependencies: { jest: '*' } }, app],
    ['another runner', { ...express, devDependencies: { vitest: '*' } }, app],
    [
      'tests of modules of Nest',
      { dependencies: { '@nestjs/core': '*' }, devDependencies: { jest: '*' } },
      { 'main.ts': 'const app = await NestFactory.create(AppModule)\n', 'tsconfig.json': '{}' },
    ],
  ])('need none: %s', async (_, manifest, files) => {
    expect(await add(manifest, files)).not.toContain('@swc/jest')
  })
})
