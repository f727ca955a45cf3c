import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../../support/run-command.ts'
import { startRegistry, type Registry } from './start-registry.ts'
import { strangerEnv } from './stranger-env.ts'

/**
 * Starts a registry with these tarballs as the only versions of our packages, on this port or on a
 * free one. It stores them in the folder `home`.
 */
export async function publishPackages(
  tarballs: string[],
  home: string,
  port = 0,
): Promise<Registry> {
  // Stored between runs, because it contains hundreds of packages.
  const others = join(root, 'test/support/tools/stranger/node_modules/.cache/registry')
  await mkdir(others, { recursive: true })
  const registry = await startRegistry({ own: join(home, 'registry'), others, port })
  const env = strangerEnv(registry.url, home)
  // Provenance needs GitHub Actions. Elsewhere npm fails to publish with it.
  const publish = ['publish', '--provenance=false', '--loglevel=error']
  for (const tarball of tarballs) await mustRun('npm', [...publish, tarball], { cwd: home, env })
  return registry
}
