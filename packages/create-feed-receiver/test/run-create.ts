import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { builtProgram } from '../../../test/support/built-program.ts'

export interface Run {
  code: number
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  /** Beside what every child process needs; nothing else is inherited. */
  env?: Record<string, string>
  /** Options of Node itself. */
  nodeOptions?: string[]
  /** Sends what Ctrl-C sends once this was printed. */
  interruptedAt?: string
}

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

/** Runs the real command to its end, with a closed stdin. */
export async function runCreate(
  args: string[],
  { cwd, env = {}, nodeOptions = [], interruptedAt }: RunOptions,
): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...nodeOptions, bin, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number>((resolve) => {
    child.once('close', (code) => resolve(code ?? -1))
  })
  if (interruptedAt !== undefined) {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes(interruptedAt)) child.kill('SIGINT')
    })
  }
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
