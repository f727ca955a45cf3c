import { startProgram, type RunningProgram } from '../support/start-program.ts'

/** Starts a program of this folder with the built packages, because the benchmarks measure those. */
export function startBenchProgram(program: string, args: readonly string[]): RunningProgram {
  return startProgram(new URL(program, import.meta.url), args, { showsErrors: true })
}
