import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { builtProgram } from '../../../../test/support/built-program.ts'

const example = new URL('../../../../examples/test-deliveries/deliveries.node.ts', import.meta.url)

test('works in node:test, whose process then exits', async () => {
  const program = ['--test', '--test-reporter=tap', builtProgram(example)]
  // Inside another test run, node:test would join that run.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const { stdout } = await promisify(execFile)(process.execPath, program, { env })
  expect(stdout).toContain('# pass 1')
  expect(stdout).toContain('# fail 0')
})
