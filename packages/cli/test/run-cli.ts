import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { builtProgram, shortLived } from '../../../test/support/built-program.ts'

export interface RunOptions {
  /** Environment variables in addition to PATH and HOME. */
  env?: Record<string, string>
  /** The standard input. */
  input?: string
  cwd?: string
  /** Sends SIGINT once this resolves. */
  interruptedWhen?: Promise<unknown>
}

export interface Run {
  code: number
  stdout: string
  stderr: string
}

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

/** The form of a secret. Tests with other secrets check them themselves. */
const secretForm = /feed_whsec_[0-9a-z]/i

/** Runs the real command to its end, and checks that it printed no secret. */
export async function runCli(
  args: string[],
  { env = {}, input = '', cwd, interruptedWhen }: RunOptions = {},
): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...shortLived, bin, ...args], {
    env: { PATH, HOME, ...env },
    stdio: 'pipe',
    cwd,
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => resolve(code ?? -1))
  })
  void interruptedWhen?.then(() => child.kill('SIGINT'))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  rejectSecrets(args, env, [stdout, stderr])
  return { code, stdout, stderr }
}

/** Throws if the output contains a secret. */
export function rejectSecrets(
  [verb = '']: string[],
  env: Record<string, string>,
  printed: string[],
): void {
  const secrets = Object.values(env).filter((value) => /^feed_whsec_./.test(value))
  for (const output of printed) {
    const isShown = secretForm.test(output) || secrets.some((secret) => output.includes(secret))
    if (isShown) throw new Error(`A secret was printed by: feed-receiver ${verb}`)
  }
}
