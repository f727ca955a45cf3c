import { spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { builtProgram } from '../../../test/support/built-program.ts'
import { main } from '../src/main.ts'

export interface Run {
  code: number
  stdout: string
  stderr: string
}

export interface RunOptions {
  cwd: string
  /** Added to the variables that every child process needs; nothing else is inherited. */
  env?: Record<string, string>
  /** Options of Node itself. */
  nodeOptions?: string[]
  /** Sends SIGINT after this was printed. */
  interruptedAt?: string
}

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

export interface TerminalOptions extends Pick<RunOptions, 'cwd' | 'env'> {
  /** @default 80 */
  columns?: number
  /** Keys to type, each after the terminal has shown a text. */
  typed: [shown: string, keys: string][]
}

/** Runs the real command to its end in a pseudo-terminal, with `script` of util-linux. */
export async function runInTerminal(
  args: string[],
  { cwd, env = {}, columns = 80, typed }: TerminalOptions,
): Promise<Pick<Run, 'code' | 'stdout'>> {
  const { PATH = '', HOME = '' } = process.env
  const called = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(' ')
  const command = `stty cols ${columns}; exec ${called}`
  const child = spawn(
    '/usr/bin/script',
    ['--quiet', '--return', '--command', command, '/dev/null'],
    {
      cwd,
      env: { PATH, HOME, SHELL: '/bin/sh', TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const left = [...typed]
  let stdout = ''
  let unread = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
    unread += chunk
    const [shown, keys] = left[0] ?? []
    if (shown === undefined || !unread.includes(shown)) return
    left.shift()
    unread = ''
    child.stdin.write(keys)
  })
  const code = await new Promise<number>((resolve) => {
    child.once('close', (ended) => resolve(ended ?? -1))
  })
  return { code, stdout }
}

/** Like `runCreate` without a terminal, but within this process, which takes a tenth of the time. */
export async function runMain(
  args: string[],
  { cwd, env = {} }: Pick<RunOptions, 'cwd' | 'env'>,
): Promise<Run> {
  const { PATH = '', HOME = '' } = process.env
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printing = Promise.all([text(stdout), text(stderr)])
  const code = await main(args, {
    cwd,
    env: { PATH, HOME, ...env },
    input: Readable.from([]),
    output: stdout,
    canAsk: false,
    hasTerminal: false,
    signal: new AbortController().signal,
    print: (line) => void stdout.write(`${line}\n`),
    complain: (line) => void stderr.write(`${line}\n`),
  }).finally(() => {
    stdout.end()
    stderr.end()
  })
  const [printed, complained] = await printing
  return { code, stdout: printed, stderr: complained }
}

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
