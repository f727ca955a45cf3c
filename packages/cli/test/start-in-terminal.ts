import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { builtProgram, shortLived } from '../../../test/support/built-program.ts'

const bin = builtProgram(new URL('../src/bin.ts', import.meta.url))

export interface CliInTerminal {
  /** Waits for a text, after what was waited for before. */
  shows(pattern: RegExp): Promise<void>
  type(keys: string): void
  /** Everything that the terminal has shown. */
  screen(): string
  /** Resolves with the exit code of the command, and the modes of the terminal after it. */
  ended: Promise<{ code: number; modes: string }>
}

/** Starts the real command in a pseudo-terminal, with `script` of util-linux. */
export function startInTerminal(
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): CliInTerminal {
  const { PATH = '', HOME = '' } = process.env
  const called = [process.execPath, ...shortLived, bin, ...args]
    .map((word) => `'${word}'`)
    .join(' ')
  // The shell ignores Ctrl-C, as that of a person outlives a command.
  const command = `trap : INT; stty cols 120; ${called}; echo "code=$?"; echo "modes=$(stty -a)"`
  const child = spawn('/usr/bin/script', ['--quiet', '--command', command, '/dev/null'], {
    cwd,
    env: { PATH, HOME, SHELL: '/bin/sh', TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  let screen = ''
  let read = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (screen += chunk))
  const ended = once(child, 'close').then(() => ({
    code: Number(/code=(\d+)/.exec(screen)?.[1] ?? -1),
    modes: /modes=([^]*)/.exec(screen)?.[1] ?? '',
  }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return {
    async shows(pattern) {
      const find = () => pattern.exec(screen.slice(read))
      await expect
        .poll(find, { timeout: 50_000, message: `${pattern} in ${screen}` })
        .not.toBeNull()
      const found = find()
      read += (found?.index ?? 0) + (found?.[0].length ?? 0)
    },
    type: (keys) => void child.stdin.write(keys),
    screen: () => screen,
    ended,
  }
}
