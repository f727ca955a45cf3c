import { startProgram, type RunningProgram } from './start-program.ts'

/** `startProgram` by its earlier name, for the tests of packages/cli. */
export const startChild = (program: URL, args: string[]): Child => startProgram(program, args)
export type Child = RunningProgram
