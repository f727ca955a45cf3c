import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { root } from '../check/workspaces.ts'
import { setup as buildAndPack } from '../packed/build-and-pack.ts'
import { mustRun } from '../packed/run.ts'
import { startRegistry } from './start-registry.ts'
import { strangerEnv } from './stranger-env.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a registry that holds our packages. */
    registryUrl: string
    /** Where the registry keeps what it has. */
    registryStorage: string
  }
}

/** Publishes the packed packages on a registry of one's own. */
export async function setup(vitest: TestProject): Promise<() => Promise<void>> {
  const cleanUp = await buildAndPack(vitest)
  const { tarballs, projectsFolder } = vitest.getProvidedContext()
  // Kept from run to run, since it holds what hundreds of packages are.
  const storage = join(root, 'test/tools/stranger/node_modules/.cache/registry')
  await mkdir(storage, { recursive: true })
  for (const own of ['@feed-receiver', 'feed-receiver', 'create-feed-receiver']) {
    await rm(join(storage, own), { recursive: true, force: true })
  }
  const registry = await startRegistry({ storage })
  const env = strangerEnv(registry.url, dirname(projectsFolder))
  for (const tarball of Object.values(tarballs)) {
    await mustRun('npm', ['publish', '--loglevel=error', tarball], dirname(projectsFolder), env)
  }
  vitest.provide('registryUrl', registry.url)
  vitest.provide('registryStorage', storage)
  return async () => {
    await registry.stop()
    await cleanUp()
  }
}
