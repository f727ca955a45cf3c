import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { CliError } from '../errors.ts'
import { isWindows, sendToGroup } from '../process-group.ts'

/** A command that runs beside this one. */
export interface StartedApp extends AsyncDisposable {
  /** Its exit code, or 1 if a signal ended it. */
  ended: Promise<number>
}

/** How long a command has to shut down, in seconds. */
const patienceSeconds = 10

/**
 * Starts the command of an app, which writes to this terminal. Disposing of it stops the command
 * and every process that it started; so does the end of this process, even by SIGKILL, except on
 * Windows, where the command then continues.
 *
 * @throws CliError `no_command` if there is no such program.
 */
export async function startApp(
  [program = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<StartedApp> {
  const child = spawn(program, args, {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    // On Windows, npx and similar programs are scripts, which only a shell can start.
    shell: isWindows,
    // In a process group of its own, because npm and shells do not pass on every signal.
    detached: !isWindows,
  })
  await once(child, 'spawn').catch((cause: unknown) => {
    throw new CliError(
      'no_command',
      `${program} cannot be started. Give a command after --, such as: feed-receiver dev -- npm start`,
      cause,
    )
  })
  const guard = startGuard(child)
  const ended = once(child, 'close').then(([code]) => (typeof code === 'number' ? code : 1))
  return {
    ended,
    async [Symbol.asyncDispose]() {
      const endsAt = performance.now() + (patienceSeconds + 1) * 1_000
      const timer = setTimeout(() => sendToGroup(child, 'SIGKILL'), patienceSeconds * 1_000)
      // First only to the command: npm passes the signal on, and two would end an app at once.
      if (isWindows) sendToGroup(child, 'SIGTERM')
      else child.kill('SIGTERM')
      await ended
      sendToGroup(child, 'SIGTERM')
      // In a container that reaps no orphans, a process stays in its group after SIGKILL.
      while (sendToGroup(child, 0) && performance.now() < endsAt) await delay(50)
      clearTimeout(timer)
      guard?.kill('SIGKILL')
    },
  }
}

/**
 * A shell that waits for the end of this process, and then stops the command. A process that is
 * killed closes its end of the pipe too.
 */
function startGuard({ pid }: ChildProcess): ChildProcess | undefined {
  if (isWindows) return undefined
  const stop = 'kill -TERM $0; sleep 3; kill -TERM -$0'
  const script = `read -r _; ${stop}; sleep ${patienceSeconds}; kill -KILL -$0`
  const guard = spawn('/bin/sh', ['-c', script, String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // Without a shell there is no guard, and the command still stops with an orderly end.
  guard.on('error', () => undefined)
  guard.unref()
  return guard
}
