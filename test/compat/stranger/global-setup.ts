import { dirname } from 'node:path'
import type { TestProject } from 'vitest/node'
import { setup as buildAndPack } from '../packed/build-and-pack.ts'
import { publishPackages } from './publish-packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a registry with our packages. */
    registryUrl: string
  }
}

/** Publishes the packed packages to a local registry. */
export async function setup(vitest: TestProject): Promise<() => Promise<void>> {
  const cleanUp = await buildAndPack(vitest)
  const { tarballs, projectsFolder } = vitest.getProvidedContext()
  const registry = await publishPackages(Object.values(tarballs), dirname(projectsFolder))
  vitest.provide('registryUrl', registry.url)
  return async () => {
    await registry.stop()
    await cleanUp()
  }
}
