import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { main } from '../src/main.ts'
import { refuseSecrets, type Run } from './run-cli.ts'

/** As `runCli`, within this process: for the many small cases that a process each would make slow. */
export async function runMain(
  args: string[],
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<Run> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const { signal } = new AbortController()
  const printing = Promise.all([text(stdout), text(stderr)])
  const code = await main(args, { env, stdin: Readable.from([]), stdout, stderr, signal })
  stdout.end()
  stderr.end()
  const [out, errors] = await printing
  refuseSecrets(args, env, [out, errors])
  return { code, stdout: out, stderr: errors }
}
