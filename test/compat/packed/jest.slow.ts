import { describe, expect, it } from 'vitest'
import { readProgram, useProject } from './project.ts'

const tsconfig = {
  compilerOptions: {
    target: 'es2022',
    module: 'commonjs',
    types: ['node', 'jest'],
    strict: true,
    esModuleInterop: true,
    skipLibCheck: true,
    noEmit: true,
  },
}

describe.each(['29', '30'])('an app with Jest %s', (version) => {
  const project = useProject(`jest-${version}`, {
    type: 'commonjs',
    packages: ['core', 'database', 'express', 'inbox', 'sender'],
    others: [
      `jest@${version}`,
      `@types/jest@${version}`,
      'ts-jest@29',
      '@swc/core@^1',
      '@swc/jest@^0.2',
      'typescript@~5.9.0',
      'express@^5',
      '@types/express@^5',
      '@types/node@^20.19',
    ],
    files: {
      'deliveries.test.js': readProgram('deliveries.jest.cjs'),
      'typed.test.ts': readProgram('deliveries.jest.ts'),
      'jest.config.js': readProgram('jest.config.cjs'),
      'tsconfig.json': JSON.stringify(tsconfig),
    },
  })

  it('compiles its tests', async () => {
    expect(await project.run('node_modules/.bin/tsc')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('delivers to the app in CommonJS and in TypeScript, and handles the events', async () => {
    const { code, stderr } = await project.run('node_modules/.bin/jest')
    expect(stderr).toContain('Tests:       3 passed, 3 total')
    expect(code).toBe(0)
  })

  it('names the page of the configuration if Jest does not transform the packages', async () => {
    const args = ['deliveries', '--transformIgnorePatterns', '/node_modules/']
    expect(await project.run('node_modules/.bin/jest', ...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('feed-receiver/testing#jest'),
    })
  })
})
