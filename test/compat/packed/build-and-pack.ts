import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readPackages, root } from '../../repo/check/workspaces.ts'
import { mustRun } from '../../support/run-command.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for the projects of this run, outside the repository. */
    projectsFolder: string
    /** The tarball of every package, by the name of its folder. */
    tarballs: Record<string, string>
  }
}

/** Builds and packs every package once for all tests. Keeps failed projects and the tarballs. */
export async function setup(vitest: TestProject): Promise<() => Promise<void>> {
  console.log('Building and packing the packages …')
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-packed-'))
  const projects = join(folder, 'projects')
  await mkdir(projects)
  vitest.provide('tarballs', await buildAndPack(folder))
  vitest.provide('projectsFolder', projects)
  console.log('Installing them in new projects …')

  return async () => {
    const kept = await readdir(projects)
    if (kept.length === 0) await rm(folder, { recursive: true })
    else console.log(`Kept what failed: ${kept.map((name) => join(projects, name)).join(', ')}`)
  }
}

/** Returns the tarball of every package, by the name of its folder. */
export async function buildAndPack(folder: string): Promise<Record<string, string>> {
  await mustRun('npm', ['run', 'build'], { cwd: root })
  return await packAll(folder)
}

/** The same of packages that are built. */
export async function packAll(folder: string): Promise<Record<string, string>> {
  const packages = [...readPackages()]
  const folders = packages.map(([name]) => `./packages/${name}`)
  const options = ['--json', `--pack-destination=${folder}`]
  const packed = JSON.parse(
    await mustRun('npm', ['pack', ...options, ...folders], { cwd: root }),
  ) as Packed[]
  return Object.fromEntries(
    packages.map(([name, { manifest }]) => {
      const tarball = packed.find((one) => one.name === manifest.name)
      if (!tarball) throw new Error(`npm pack left out ${manifest.name}`)
      return [name, join(folder, tarball.filename)]
    }),
  )
}

interface Packed {
  name: string
  filename: string
}
