import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPackages, root, type Manifest } from '../../repo/check/workspaces.ts'

/** The packages of this repository that a Next app installs. */
const packed = ['console', 'core', 'database', 'inbox', 'next']

/** Puts the built packages, as published, and all their dependencies into `modules`. */
export function installPackages(modules: string): void {
  const packages = readPackages()
  for (const name of packed) {
    const one = packages.get(name)
    if (!one) throw new Error(`There is no package named ${name}.`)
    unpack(one.folder, join(modules, one.manifest.name))
    copyDependencies(one.manifest, modules)
  }
}

function unpack(folder: string, target: string): void {
  mkdirSync(target, { recursive: true })
  const pack = ['pack', '--json', '--loglevel=error', '--pack-destination', target]
  const printed = execFileSync('npm', pack, { cwd: folder, encoding: 'utf8' })
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }]
  execFileSync('tar', ['-xzf', filename, '--strip-components=1'], { cwd: target })
}

// From the node_modules of the repository, so that nothing is downloaded.
function copyDependencies(manifest: Manifest, modules: string): void {
  const { dependencies, peerDependencies, optionalDependencies } = manifest
  for (const name of Object.keys({
    ...dependencies,
    ...peerDependencies,
    ...optionalDependencies,
  })) {
    const source = join(root, 'node_modules', name)
    const target = join(modules, name)
    if (packed.some((own) => name === `@feed-receiver/${own}`)) continue
    if (existsSync(target) || !existsSync(source)) continue
    cpSync(source, target, { recursive: true })
    const text = readFileSync(join(source, 'package.json'), 'utf8')
    copyDependencies(JSON.parse(text) as Manifest, modules)
  }
}
