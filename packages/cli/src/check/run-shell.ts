import { isError } from '@feed-receiver/core/internal'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { orUndefined } from '../or-undefined.ts'

/** Runs the user's command. Rejects if it fails, and stops it when the signal aborts. */
export async function runShell(command: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  // No pipe: a server that the command starts in the background would write to it later.
  await untilDone(spawn(command, { ...shell, stdio: 'ignore' }), signal)
}

/** Runs the user's command with more variables, and returns its output. */
export async function readShell(
  command: string,
  { variables, signal }: { variables: Record<string, string>; signal: AbortSignal },
): Promise<string> {
  signal.throwIfAborted()
  const env = { ...process.env, ...variables }
  const child = spawn(command, { ...shell, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors] = [text(child.stdout), text(child.stderr)]
  try {
    await untilDone(child, signal)
  } catch (error) {
    // The last line of a trace is the one that says what is wrong.
    const last = (await errors).trim().split('\n').at(-1) ?? ''
    throw last === '' || !isError(error) ? error : new Error(`${error.message}: ${last}`)
  }
  return await output
}

const isPosix = process.platform !== 'win32'
// In its own process group, so that the children of the shell stop with it.
const shell = { shell: true, detached: isPosix } as const

async function untilDone(child: ChildProcess, signal: AbortSignal): Promise<void> {
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop)
  try {
    const [code, killedBy] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the command exited with ${code ?? killedBy}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function endGroup(child: ChildProcess): void {
  // A process that ignores the signal must not delay the exit of this one.
  child.unref()
  const { pid } = child
  if (!isPosix || pid === undefined) return void child.kill()
  // It may have ended already.
  orUndefined(() => process.kill(-pid, 'SIGTERM'))
}
