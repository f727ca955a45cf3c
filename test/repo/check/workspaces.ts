import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface Manifest {
  name: string
  version: string
  description?: string
  private?: boolean
  scripts?: Record<string, string>
  exports?: Record<string, object>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export interface Package {
  folder: string
  manifest: Manifest
}

/** Every published package, by the name of its folder. */
export function readPackages(): Map<string, Package> {
  const parent = join(root, 'packages')
  const packages = readdirSync(parent)
    .filter((name) => existsSync(join(parent, name, 'package.json')))
    .map((name): [string, Package] => {
      const folder = join(parent, name)
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
      return [name, { folder, manifest }]
    })
  return new Map(packages.filter(([, { manifest }]) => manifest.private !== true))
}

/** The files below a folder that match, as absolute paths. */
export function listFiles(folder: string, isWanted: (path: string) => boolean): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules') && isWanted(path))
}
