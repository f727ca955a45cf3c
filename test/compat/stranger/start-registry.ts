import { fileURLToPath } from 'node:url'
import { root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../../support/run-command.ts'
import { startCommand } from '../../support/start-program.ts'

export interface Registry {
  url: string
  /** Its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>
  stop(): Promise<void>
}

interface RegistryOptions {
  /** The folder for our packages. */
  own: string
  /** The folder for those that it downloads from the configured registry of npm. */
  others: string
  /** 0 for any free port. */
  port: number
}

/** Starts a registry that downloads the packages of others, and has ours once they are published. */
export async function startRegistry({ own, others, port }: RegistryOptions): Promise<Registry> {
  const uplink = await npmConfig('registry')
  const authority = await npmConfig('cafile')
  const program = fileURLToPath(new URL('registry.mjs', import.meta.url))
  const registry = startCommand(process.execPath, [program, own, others, uplink, String(port)], {
    hasInput: true,
    env: { ...process.env, ...(authority !== 'null' && { NODE_EXTRA_CA_CERTS: authority }) },
  })
  return {
    url: await registry.nextLine('http://127.0.0.1:'),
    ended: registry.ended,
    async stop() {
      registry.closeInput()
      await registry.ended
    },
  }
}

async function npmConfig(name: string): Promise<string> {
  return (await mustRun('npm', ['config', 'get', name], { cwd: root })).trim()
}
