import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { makeFolder } from '../../../test/e2e/start-example.ts'
import { runShell } from './commands/check.ts'

it('ends a command with all that it has started, once it is told to', async () => {
  const pidFile = join(await makeFolder(), 'pid')
  const stopping = new AbortController()
  const running = runShell(`sleep 600 & echo $! > '${pidFile}'; wait`, stopping.signal)
  const ended = running.catch(String)
  const pid = await until('a child that waits', () => existsSync(pidFile) && readPid(pidFile))
  stopping.abort()
  expect(await ended).toContain('the command ended with SIGTERM')
  await until('the child has ended, too', () => !isRunning(pid))
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
