import { cpSync, existsSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inject } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../../support/run-command.ts'
import { startCommand, type RunningProgram } from '../../support/start-program.ts'
import type { NextVersion } from './global-setup.ts'

/** Copies an app to the folder of a version of Next, and returns its path. */
export function copyApp(version: NextVersion, source: string, name = basename(source)): string {
  const install = inject('installs')[version]
  if (install === undefined) throw new Error(`TEST_NEXT_VERSIONS leaves out Next ${version}`)
  const folder = join(install, name)
  cpSync(join(root, source), folder, { recursive: true })
  const proxy = join(folder, 'proxy.ts')
  if (version === '15' && existsSync(proxy)) renameSync(proxy, join(folder, 'middleware.ts'))
  return folder
}

/** Builds an app like its users. Rejects with the output of the build. */
export async function buildApp(folder: string): Promise<void> {
  await mustRun(process.execPath, [nextOf(folder), 'build'], { cwd: folder, timeoutMs: 180_000 })
}

/** A Next server in its own process. */
export interface NextApp extends RunningProgram {
  port: number
}

export async function startNextApp(
  folder: string,
  command: 'start' | 'dev',
  env: Record<string, string>,
): Promise<NextApp> {
  const args = [nextOf(folder), command, '-p', '0', '-H', '127.0.0.1']
  const NODE_ENV = command === 'dev' ? 'development' : 'production'
  const DATABASE_URL = 'file:.feed-receiver/database'
  const app = startCommand(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_ENV, DATABASE_URL, ...env },
    hasInput: true,
  })
  const port = Number(/:(\d+)/.exec(await app.nextLine('http://'))?.[1])
  await app.nextLine('Ready in')
  return Object.assign(app, { port })
}

function nextOf(folder: string): string {
  return join(folder, '../node_modules/next/dist/bin/next')
}
