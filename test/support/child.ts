import { builtProgram, shortLived } from './built-program.ts'
import { startCommand, type ProgramOptions, type RunningProgram } from './start-program.ts'

export type Child = RunningProgram

/** Starts a program of this repository that runs for seconds, as built for the tests. */
export function startChild(
  program: URL | string,
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Child {
  const command = [...shortLived, builtProgram(program), ...args]
  return startCommand(process.execPath, command, { hasInput: true, ...options })
}
