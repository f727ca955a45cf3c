import { builtProgram } from '../support/built-program.ts'
import { startCommand, type RunningProgram } from '../support/start-program.ts'

/**
 * Starts a program of this folder with the built packages and no options of Node, because the
 * benchmarks measure those.
 */
export function startBenchProgram(program: string, args: readonly string[]): RunningProgram {
  const path = builtProgram(new URL(program, import.meta.url))
  return startCommand(process.execPath, [path, ...args], { hasInput: true, showsErrors: true })
}
