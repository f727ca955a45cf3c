import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../packed/run.ts'

export interface Registry {
  url: string
  stop(): Promise<void>
}

/**
 * Starts a registry that downloads missing packages from the configured registry of npm, and stores
 * them in a folder.
 */
export async function startRegistry(storage: string): Promise<Registry> {
  const uplink = await npmConfig('registry')
  const authority = await npmConfig('cafile')
  const program = fileURLToPath(new URL('registry.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, storage, uplink], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...(authority !== 'null' && { NODE_EXTRA_CA_CERTS: authority }) },
  })
  const ended = once(child, 'close')
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('http://127.0.0.1:')) continue
    return {
      url: line,
      async stop() {
        child.stdin.end()
        await ended
      },
    }
  }
  throw new Error('The registry ended before it listened.')
}

async function npmConfig(name: string): Promise<string> {
  return (await mustRun('npm', ['config', 'get', name], root)).trim()
}
