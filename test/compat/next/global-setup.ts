import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { root } from '../../repo/check/workspaces.ts'
import { installPackages } from './pack-packages.ts'

export const versions = ['15', '16'] as const
export type NextVersion = (typeof versions)[number]

declare module 'vitest' {
  interface ProvidedContext {
    /** For each version of Next, a folder with Next and our packages installed for apps. */
    installs: Partial<Record<NextVersion, string>>
  }
}

/**
 * Installs each version of Next and the packages of this repository, outside the repository.
 * TEST_NEXT_VERSIONS names the versions of a run that needs only some.
 */
export function setup(project: TestProject): () => void {
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  const parent = mkdtempSync(join(tmpdir(), 'feed-receiver-next-'))
  const wanted = process.env['TEST_NEXT_VERSIONS']?.split(',') ?? versions
  const installs = Object.fromEntries(
    versions.filter((one) => wanted.includes(one)).map((one) => [one, install(one, parent)]),
  )
  project.provide('installs', installs)
  return () => rmSync(parent, { recursive: true, force: true })
}

// Copied, because Turbopack follows no link out of its root. Next finds the root by the lockfile.
function install(version: NextVersion, parent: string): string {
  const source = join(root, 'test/support/tools', `next-${version}`)
  const folder = join(parent, `next-${version}`)
  for (const name of ['node_modules', 'package.json', 'package-lock.json']) {
    cpSync(join(source, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  }
  installPackages(join(folder, 'node_modules'))
  return folder
}
