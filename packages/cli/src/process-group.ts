import { isError } from '@feed-receiver/core/internal'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { orUndefined } from './or-undefined.ts'

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

export const isWindows = process.platform === 'win32'

// In its own process group, so that the children of the shell stop with it.
const shell = { shell: true, detached: !isWindows } as const

async function untilDone(child: ChildProcess, signal: AbortSignal): Promise<void> {
  const stop = () => {
    // A process that ignores the signal must not delay the exit of this one.
    child.unref()
    sendToGroup(child, 'SIGTERM')
  }
  signal.addEventListener('abort', stop)
  try {
    const [code, killedBy] = await once(child, 'exit')
    if (code !== 0) throw new Error(`the command exited with ${code ?? killedBy}`)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Sends a signal to every process that a command has started in its own group, and returns whether
 * there is one; 0 only asks.
 */
export function sendToGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  // The group 0 would be that of this process.
  if (pid === undefined) return false
  if (isWindows) {
    if (signal === 0) return false
    return (
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).status === 0
    )
  }
  return orUndefined(() => process.kill(-pid, signal)) ?? false
}
