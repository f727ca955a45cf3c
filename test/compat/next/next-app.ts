import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { root } from '../../repo/check/workspaces.ts'
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
  try {
    await promisify(execFile)(process.execPath, [nextOf(folder), 'build'], { cwd: folder })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`next build failed:\n${stdout}${stderr}`, { cause: error })
  }
}

/** A Next server in its own process. */
export interface RunningApp {
  pid: number
  port: number
  /** The next line that contains this text. Rejects with all output if it ends before. */
  nextLine(part: string): Promise<string>
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | string>
  /** Ends it like a supervisor, and returns how it ended. */
  stop(): Promise<number | string>
}

export async function startApp(
  folder: string,
  command: 'start' | 'dev',
  env: Record<string, string>,
): Promise<RunningApp> {
  const args = [nextOf(folder), command, '-p', '0', '-H', '127.0.0.1']
  const NODE_ENV = command === 'dev' ? 'development' : 'production'
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_ENV, ...env },
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()

  const app: RunningApp = {
    pid: child.pid ?? 0,
    port: 0,
    async nextLine(part) {
      for (;;) {
        const { done, value } = await lines.next()
        if (done) throw new Error(`It ended before it printed ${part}:\n${printed}`)
        printed += `${value}\n`
        if (value.includes(part)) return value
      }
    },
    ended,
    stop() {
      child.kill('SIGTERM')
      return ended
    },
  }
  app.port = Number(/:(\d+)/.exec(await app.nextLine('http://'))?.[1])
  await app.nextLine('Ready in')
  return app
}

function nextOf(folder: string): string {
  return join(folder, '../node_modules/next/dist/bin/next')
}
