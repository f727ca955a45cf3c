import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { CliError } from '../errors.ts'

/** A command that runs beside this one. */
export interface StartedApp extends AsyncDisposable {
  /** Its exit code, or 1 if a signal ended it. */
  ended: Promise<number>
}

/** How long a command has to shut down, in milliseconds. */
const patienceMs = 10_000

/**
 * Starts the command of an app, which writes to this terminal. Disposing of it stops it.
 *
 * @throws CliError `no_command` if there is no such program.
 */
export async function startApp(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartedApp> {
  // On Windows, npx and similar programs are scripts, which only a shell can start.
  const child = spawn(program, args, {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new CliError(
      'no_command',
      `${program} cannot be started. Give a command after --, such as: feed-receiver dev -- npm start`,
      cause,
    )
  })
  const ended = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : 1))
  return {
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await ended
      clearTimeout(timer)
    },
  }
}
