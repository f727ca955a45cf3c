import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../src/program.ts'
import { refuseSecrets, type Run, type RunOptions } from './run-cli.ts'

/**
 * As `runCli`, within this process: for what does not depend on one, since starting it takes longer
 * than most commands. With a `cwd` one at a time, since that is the process's.
 */
export async function runMain(
  args: string[],
  { env = {}, input = '', cwd, interruptedWhen }: RunOptions = {},
): Promise<Run> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const stopping = new AbortController()
  void interruptedWhen?.then(() => stopping.abort())
  const stdin = Readable.from(input === '' ? [] : [input])
  const printing = Promise.all([text(stdout), text(stderr)])
  const before = process.cwd()
  if (cwd !== undefined) process.chdir(cwd)
  const { signal } = stopping
  const code = await main(args, { env, stdin, stdout, stderr, signal }).finally(() => {
    process.chdir(before)
    stdout.end()
    stderr.end()
  })
  const [out, errors] = await printing
  refuseSecrets(args, env, [out, errors])
  return { code, stdout: out, stderr: errors }
}
