import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type RunnerTask } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { setupSocket } from '../../contract/harness.ts'
import type { OpenSocket, ServerTraits } from '../../contract/session.ts'
import { describeContract } from '../../contract/suite.ts'
import { serveProgram, type Install, type FrameworkProgram } from './framework-programs.ts'

interface Indexed {
  /** Its name in the index of the guides. */
  title: string
  /** The package whose version is in the index. */
  module: string
  install: Install
}

interface Framework extends Indexed {
  program: FrameworkProgram
  traits?: ServerTraits
}

/** Runs the contract with the program of the guide, and compares the index with the result. */
export function describeFramework(framework: Framework): void {
  const { title, install, program, traits } = framework
  const serve = serveProgram(install, program)
  describeContract(title, serve, traits)

  describe(`the program for ${title}`, () => {
    programCases(framework, (limits) => setupSocket(serve, limits))
  })
}

/** Requirements of the program and its row in the index beyond the contract. */
export function programCases({ title, module, install }: Indexed, open: OpenSocket): void {
  it('keeps the parser of the other routes', async () => {
    const { port } = await open()
    const answer = await fetch(`http://127.0.0.1:${port}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"count":2}',
    })
    expect([answer.status, await answer.json()]).toEqual([201, { ordered: 2 }])
  })

  it('has its version and its number of cases in the index', ({ task }) => {
    const contract = task.file.tasks.find(({ name }) => name === `${title} passes the contract`)
    if (!contract) throw new Error(`There is no contract of ${title}.`)
    const manifest = join(
      root,
      'test/support/tools',
      install,
      'node_modules',
      module,
      'package.json',
    )
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    expect(readRow(title)).toMatchObject([title, version, expect.any(String), `${count(contract)}`])
  })
}

function readRow(title: string): string[] {
  const index = readFileSync(join(root, 'docs/frameworks/README.md'), 'utf8')
  const rows = index.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const row = rows.find(([, first]) => first === title) ?? []
  return row.slice(1, 5)
}

function count(task: RunnerTask): number {
  return task.type === 'suite' ? task.tasks.reduce((sum, one) => sum + count(one), 0) : 1
}
