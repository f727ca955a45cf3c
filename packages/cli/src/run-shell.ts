import { spawn, type ChildProcess } from 'node:child_process'

/** Runs a command of the user's own; rejects where it fails, and ends it when the signal aborts. */
export async function runShell(command: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  // A group of its own: the shell has children, and they are to end with it.
  const child = spawn(command, { shell: true, stdio: 'ignore', detached: isPosix })
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop)
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, killedBy) => {
        if (code === 0) resolve()
        else reject(new Error(`the command ended with ${code ?? killedBy ?? 'no exit code'}`))
      })
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const isPosix = process.platform !== 'win32'

function endGroup(child: ChildProcess): void {
  // What ignores the signal keeps nobody waiting.
  child.unref()
  if (!isPosix || child.pid === undefined) return void child.kill()
  try {
    process.kill(-child.pid, 'SIGTERM')
  } catch {
    // It has ended already.
  }
}
