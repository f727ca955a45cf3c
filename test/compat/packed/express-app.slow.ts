import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { findRuntime } from '../../repo/run/runtimes.mjs'
import { readProgram, useProject } from './project.ts'

const event = fixture('outage_started')
const stored = { code: 0, stdout: `202 {"status":"stored","id":"${event.id}"}\n`, stderr: '' }
const packages = ['core', 'express']

describe('an ES module project with Express 5', () => {
  const project = useProject('esm', {
    type: 'module',
    packages,
    others: ['express@^5'],
    files: { 'app.js': readProgram('express-app.mjs'), 'event.json': JSON.stringify(event) },
  })

  it('receives a delivery', async () => {
    expect(await project.run('node', 'app.js')).toEqual(stored)
  })

  it('receives a delivery on Node 24', async () => {
    const node24 = findRuntime('node-24')
    expect((await project.run(node24, '--version')).stdout).toMatch(/^v24\./)
    expect(await project.run(node24, 'app.js')).toEqual(stored)
  })
})

describe('a CommonJS project with Express 4', () => {
  const project = useProject('commonjs', {
    type: 'commonjs',
    packages,
    others: ['express@^4.21'],
    files: { 'app.js': readProgram('express-app.cjs'), 'event.json': JSON.stringify(event) },
  })

  it('receives a delivery using only require', async () => {
    expect(await project.run('node', 'app.js')).toEqual(stored)
  })

  it('names the Node that it needs on one that cannot require ES modules', async () => {
    const older = ['--no-experimental-require-module', 'app.js']
    expect(await project.run('node', ...older)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('use Node 20.19, or 22.12 or newer'),
    })
  })
})
