import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'
import { builtProgram } from '../../../test/support/built-program.ts'

export interface RunningCli {
  /** What it printed to stdout and stderr up to now. */
  stdout: string[]
  stderr: string[]
  /** Waits for a line of stdout that this matches, and gives the match. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits for a line of JSON of this type. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into it as they like
  record(type: string): Promise<any>
  /** Sends what Ctrl-C sends, and gives the exit code. */
  interrupt(): Promise<number>
  /** Waits for it to end by itself. */
  ended: Promise<number>
}

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

/** Starts the real command as one that goes on until it is interrupted, at most for one test. */
export function startCli(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): RunningCli {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr]: string[][] = [[], []]
  createInterface(child.stdout).on('line', (text) => stdout?.push(text))
  createInterface(child.stderr).on('line', (text) => stderr?.push(text))
  const ended = once(child, 'close').then(([code]) => Number(code ?? -1))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const running: RunningCli = {
    stdout: stdout ?? [],
    stderr: stderr ?? [],
    async line(pattern) {
      const find = () => running.stdout.map((text) => pattern.exec(text)).find(Boolean)
      await expect
        .poll(() => find() ?? child.exitCode, { timeout: 50_000, message: running.stderr.join() })
        .not.toBeNull()
      const found = find()
      if (found) return found
      throw new Error(`It ended with ${child.exitCode}: ${running.stderr.join('\n')}`)
    },
    async record(type) {
      return JSON.parse((await running.line(new RegExp(`^\\{"type":"${type}".*`)))[0])
    },
    async interrupt() {
      child.kill('SIGINT')
      return await ended
    },
    ended,
  }
  return running
}
