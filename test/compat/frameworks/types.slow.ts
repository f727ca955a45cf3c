import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { programs } from './framework-programs.ts'

it.each(Object.keys(programs))('programs and traps compile with %s', async (install) => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const project = join(root, 'test/support/tools', install)
  const compile = promisify(execFile)(process.execPath, [compiler, '-p', project])
  // tsc prints errors to stdout.
  const { stdout } = await compile.catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})
