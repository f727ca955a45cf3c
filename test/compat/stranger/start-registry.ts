import { fileURLToPath } from 'node:url'
import { root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../../support/run-command.ts'
import { startCommand } from '../../support/start-program.ts'

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
  const registry = startCommand(process.execPath, [program, storage, uplink], {
    hasInput: true,
    env: { ...process.env, ...(authority !== 'null' && { NODE_EXTRA_CA_CERTS: authority }) },
  })
  return {
    url: await registry.nextLine('http://127.0.0.1:'),
    async stop() {
      registry.closeInput()
      await registry.ended
    },
  }
}

async function npmConfig(name: string): Promise<string> {
  return (await mustRun('npm', ['config', 'get', name], { cwd: root })).trim()
}
