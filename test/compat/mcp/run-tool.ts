import { fileURLToPath } from 'node:url'
import { runCommand, type Outcome } from '../../support/run-command.ts'

/** Runs a command of test/support/tools/mcp to its end, on the current Node. */
export function runTool(name: string, args: string[]): Promise<Outcome> {
  const folder = new URL('../../support/tools/mcp/node_modules/.bin/', import.meta.url)
  const program = fileURLToPath(new URL(name, folder))
  return runCommand(process.execPath, [program, ...args], { timeoutMs: 180_000 })
}
