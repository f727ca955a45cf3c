import { CommanderError } from 'commander'
import type { Context } from './command.ts'
import { createOutput, type Terminal } from './output/output.ts'
import { runProgram } from './program.ts'

export interface MainOptions extends Terminal, Pick<Context, 'env' | 'signal'> {
  stdin: Context['input']
}

/** Runs one command line and gives its exit code: 0 well, 1 failed, 2 called wrongly. */
export async function main(args: string[], options: MainOptions): Promise<number> {
  const { env, stdin, stdout, stderr, signal } = options
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const out = createOutput({ stdout, stderr, isJson: own.includes('--json') })
  const canAsk = stdin.isTTY === true && stderr.isTTY === true
  const context = { out, env, input: stdin, canAsk, signal }
  try {
    return await runProgram(args, context, (text) => stdout.write(text))
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    const { describeError } = await import('./output/describe-error.ts')
    const { exitCode, ...shown } = describeError(error, signal)
    out.error(shown)
    return exitCode
  }
}
