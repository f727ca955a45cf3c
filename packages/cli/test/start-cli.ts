import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { builtProgram, shortLived } from '../../../test/support/built-program.ts'
import { main } from '../src/program.ts'

export interface RunningCli {
  /** The lines printed to stdout and stderr so far. */
  stdout: string[]
  stderr: string[]
  /** Waits for a matching line of stdout, and returns the match. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits for a line of JSON of this type. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member
  record(type: string): Promise<any>
  /** Sends SIGINT, and returns the exit code. */
  interrupt(): Promise<number>
  /** Waits for its exit. */
  ended: Promise<number>
}

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

/** Starts the real command until it is interrupted, or until the test ends. */
export function startCli(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): RunningCli & { kill: (signal: NodeJS.Signals) => void } {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...shortLived, bin, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close').then(([code]) => Number(code ?? -1))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const kill = (signal: NodeJS.Signals) => void child.kill(signal)
  return { ...watchCli(child, { ended, interrupt: () => kill('SIGINT') }), kill }
}

/** Like `startCli`, but within this process like `runMain`, so one at a time. */
export function startMain(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): RunningCli {
  const [stdin, stdout, stderr] = [Readable.from([]), new PassThrough(), new PassThrough()]
  const stopping = new AbortController()
  const interrupt = () => stopping.abort()
  const before = process.cwd()
  process.chdir(cwd)
  const ended = main(args, { env, stdin, stdout, stderr, signal: stopping.signal }).finally(() => {
    process.chdir(before)
    stdout.end()
    stderr.end()
  })
  onTestFinished(async () => {
    interrupt()
    await ended
  })
  return watchCli({ stdout, stderr }, { ended, interrupt })
}

interface Running {
  ended: Promise<number>
  interrupt(): void
}

function watchCli(
  streams: { stdout: Readable; stderr: Readable },
  { ended, interrupt }: Running,
): RunningCli {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const closed = Promise.all([
    once(
      createInterface(streams.stdout).on('line', (text) => stdout.push(text)),
      'close',
    ),
    once(
      createInterface(streams.stderr).on('line', (text) => stderr.push(text)),
      'close',
    ),
  ])
  let exitCode: number | undefined
  const endedWhole = Promise.all([ended, closed]).then(([code]) => (exitCode = code))
  const running: RunningCli = {
    stdout,
    stderr,
    async line(pattern) {
      const find = () => stdout.map((text) => pattern.exec(text)).find(Boolean)
      await expect
        .poll(() => find() ?? exitCode, { timeout: 50_000, message: String(pattern) })
        .not.toBeUndefined()
      const found = find()
      if (found) return found
      throw new Error(`It ended with ${exitCode}: ${stderr.join('\n')}`)
    },
    async record(type) {
      return JSON.parse((await running.line(new RegExp(`^\\{"type":"${type}".*`)))[0])
    },
    async interrupt() {
      interrupt()
      return await endedWhole
    },
    ended: endedWhole,
  }
  return running
}
