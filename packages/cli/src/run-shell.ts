import { spawn } from 'node:child_process'

/** Runs a command of the user's own; rejects where it fails, and ends it when the signal aborts. */
export async function runShell(command: string, signal: AbortSignal): Promise<void> {
  const child = spawn(command, { shell: true, stdio: 'ignore', signal })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, killedBy) => {
      if (code === 0) resolve()
      else reject(new Error(`the command ended with ${code ?? killedBy}`))
    })
  })
}
