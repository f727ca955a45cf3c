import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { readPackages, root, type Package } from '../../repo/check/workspaces.ts'
import type { Install } from './platform-app.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Copies of examples/platforms whose programs find the installed platforms and our packages.
     */
    platforms: Record<Install, string>
  }
}

/** Copies the programs to the installed platforms and the packages of this repository. */
export function setup(project: TestProject): () => void {
  execFileSync('npx', ['tsc', '-b', 'packages'], { cwd: root, stdio: 'inherit' })
  execFileSync('node', ['packages/commonjs-entries.mjs'], { cwd: root, stdio: 'inherit' })
  const folders = { platforms: copyBeside('platforms'), nuxt: copyBeside('nuxt') }
  project.provide('platforms', folders)
  return () => {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
  }
}

function copyBeside(name: Install): string {
  const folder = mkdtempSync(join(tmpdir(), `feed-receiver-${name}-`))
  cpSync(join(root, 'examples/platforms'), folder, { recursive: true })
  linkInto(join(folder, 'node_modules'), join(root, 'test/support/tools', name, 'node_modules'))
  for (const one of readPackages().values()) install(one, join(folder, 'node_modules'))
  return folder
}

// Copied, because bundlers treat links as part of the app, and bundle them.
function install({ folder, manifest }: Package, modules: string): void {
  const target = join(modules, manifest.name)
  for (const part of ['dist', 'sql']) {
    const source = join(folder, part)
    if (existsSync(source)) cpSync(source, join(target, part), { recursive: true })
  }
  const text = readFileSync(join(folder, 'package.json'), 'utf8')
  writeFileSync(join(target, 'package.json'), text.replaceAll('@feed-receiver/source', 'source'))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const source = join(root, 'node_modules', name)
    if (!name.startsWith('@feed-receiver/') && existsSync(source)) {
      link(source, join(target, 'node_modules', name))
    }
  }
}

function linkInto(folder: string, modules: string): void {
  for (const name of readdirSync(modules)) {
    if (name.startsWith('.') && name !== '.bin') continue
    if (name.startsWith('@')) linkInto(join(folder, name), join(modules, name))
    else link(join(modules, name), join(folder, name))
  }
}

function link(target: string, path: string): void {
  mkdirSync(join(path, '..'), { recursive: true })
  symlinkSync(target, path)
}
