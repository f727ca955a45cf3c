import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../src/program.ts'
import { rejectSecrets, type Run, type RunOptions } from './run-cli.ts'

/**
 * Like `runCli`, but within this process, because starting a process takes longer than most
 * commands. With a `cwd` only one at a time, because the folder belongs to the process.
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
  rejectSecrets(args, env, [out, errors])
  return { code, stdout: out, stderr: errors }
}
