import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { runShell } from './process-group.ts'

it('stops a command and its children when the signal aborts', async () => {
  const pidFile = join(await makeFolder(), 'pid')
  const stopping = new AbortController()
  const running = runShell(`sleep 600 & echo $! > '${pidFile}'; wait`, stopping.signal)
  const ended = running.catch(String)
  const pid = await until('the child to start', () => existsSync(pidFile) && readPid(pidFile))
  stopping.abort()
  expect(await ended).toContain('the command exited with SIGTERM')
  await until('the child to exit', () => !isRunning(pid))
})

it('rejects with the exit code of a command that fails', async () => {
  const { signal } = new AbortController()
  await expect(runShell('exit 4', signal)).rejects.toThrow('the command exited with 4')
})

function readPid(path: string): number | undefined {
  return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
