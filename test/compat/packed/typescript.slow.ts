import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { readPackages } from '../../repo/check/workspaces.ts'
import { readProgram, useProject } from './project.ts'

const event = fixture('outage_started')
const stored = { code: 0, stdout: `202 {"status":"stored","id":"${event.id}"}\n`, stderr: '' }
const compiled = { code: 0, stdout: '', stderr: '' }

const compilerOptions = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  rootDir: '.',
  outDir: 'out',
}
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit']
const tsc = 'node_modules/.bin/tsc'

describe.each(['5.9', '7.0'])('a TypeScript %s project', (version) => {
  const project = useProject(`typescript-${version}`, {
    type: 'module',
    // The types of Koa lack one with Express 5.3, because they import its content-disposition.
    packages: [...readPackages().keys()].filter((name) => name !== 'koa'),
    others: [
      `typescript@~${version}.0`,
      '@types/node@^20.19',
      'express@^5',
      '@types/express@^5',
      'fastify@^5',
    ],
    files: {
      'app.ts': readProgram('express-app.ts'),
      'app-as-commonjs.cts': readProgram('express-app.ts'),
      'every-entry.ts': exportAll(entries().filter((entry) => !entry.endsWith('/koa'))),
      'event.json': JSON.stringify(event),
      'route.ts': readProgram('next-route.ts'),
      'typed-handlers.ts': readProgram('typed-handlers.ts'),
      'tsconfig.json': JSON.stringify({ compilerOptions }),
      'tsconfig.next.json': JSON.stringify({
        extends: './tsconfig.json',
        files: ['route.ts', 'every-entry.ts'],
      }),
    },
  })

  it('has that compiler', async () => {
    const { stdout } = await project.run(tsc, '--version')
    expect(stdout).toContain(`Version ${version}.`)
  })

  it('compiles with module nodenext, and checks the types of every entry', async () => {
    expect(await project.run(tsc)).toEqual(compiled)
  })

  it('receives a delivery, as an ES module', async () => {
    expect(await project.run('node', 'out/app.js')).toEqual(stored)
  })

  it('receives a delivery, as CommonJS', async () => {
    expect(await project.run('node', 'out/app-as-commonjs.cjs')).toEqual(stored)
  })

  it('compiles with moduleResolution bundler', async () => {
    expect(await project.run(tsc, ...bundler)).toEqual(compiled)
  })

  it('compiles a route for Next with browser types', async () => {
    const next = ['-p', 'tsconfig.next.json', '--lib', 'es2023,dom']
    expect(await project.run(tsc, ...next, ...bundler)).toEqual(compiled)
  })
})

const modules = {
  commonjs: ['--module', 'commonjs', '--esModuleInterop'],
  node16: ['--module', 'node16'],
  nodenext: ['--module', 'nodenext'],
  bundler,
}
const compilers = ['5.4', '5.6', '5.7', '5.9', '7.0']

describe('a CommonJS project', () => {
  const project = useProject('typescript-commonjs', {
    type: 'commonjs',
    packages: [...readPackages().keys()],
    others: [
      ...compilers.map((version) => `typescript-${version}@npm:typescript@~${version}.0`),
      '@types/node@^20.19',
      'express@^5',
      '@types/express@^5',
      'koa@^3',
      '@types/koa@^3',
      'fastify@^5',
    ],
    files: {
      'app.ts': readProgram('express-app.ts'),
      'every-entry.ts': exportAll(entries()),
      'event.json': JSON.stringify(event),
      'typed-handlers.ts': readProgram('typed-handlers.ts'),
    },
  })
  const compile = (version: string, ...flags: string[]) => {
    const checks = ['--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node']
    const files = ['app.ts', 'every-entry.ts', 'typed-handlers.ts']
    const program = `node_modules/typescript-${version}/bin/tsc`
    return project.run('node', program, ...checks, ...flags, ...files)
  }
  const pairs = compilers.flatMap((version) =>
    Object.keys(modules).map((module) => [version, module as keyof typeof modules] as const),
  )

  it.each(pairs)('compiles with TypeScript %s and %s', async (version, module) => {
    expect(await compile(version, '--noEmit', ...modules[module])).toEqual(compiled)
  })

  it.each([
    ['5.4', 'commonjs'],
    ['5.7', 'node16'],
  ] as const)('receives a delivery, compiled by %s with %s', async (version, module) => {
    expect(await compile(version, '--outDir', 'out', ...modules[module])).toEqual(compiled)
    expect(await project.run('node', 'out/app.js')).toEqual(stored)
  })
})

describe('a TypeScript 7.0 project with Koa', () => {
  const project = useProject('typescript-koa', {
    type: 'module',
    packages: ['core', 'koa'],
    others: ['typescript@~7.0.0', '@types/node@^20.19', 'koa@^3', '@types/koa@^3'],
    files: {
      'every-entry.ts': exportAll(['@feed-receiver/koa']),
      'tsconfig.json': JSON.stringify({ compilerOptions }),
    },
  })

  it('compiles with module nodenext, and checks all types', async () => {
    expect(await project.run(tsc)).toEqual(compiled)
  })
})

function entries(): string[] {
  return [...readPackages().values()].flatMap(({ manifest: { name, exports = {} } }) =>
    Object.keys(exports).map((path) => name + path.slice(1)),
  )
}

function exportAll(names: string[]): string {
  return names.map((name, index) => `export * as entry${index} from '${name}'\n`).join('')
}
