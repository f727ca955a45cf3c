import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repository } from '../../support/built-program.ts'

export type Release = 'previous' | 'current'

interface Manifest {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const packages = ['core', 'database', 'inbox', 'express']
const released = join(repository, 'test/compat/upgrade/previous')

/**
 * Makes a folder with the app and the packages of a release, without the network. Returns the path of
 * the app. The packages of others are those of this repository.
 */
export async function makeApp(release: Release, parent: string): Promise<string> {
  const folder = join(parent, release)
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '@feed-receiver'), { recursive: true })
  const tarballs = release === 'previous' ? await findTarballs(parent) : ''
  for (const name of packages) {
    const installed = join(modules, '@feed-receiver', name)
    const source = join(repository, 'packages', name)
    if (release === 'current') await symlink(source, installed)
    else await unpack(tarballs, name, installed)
  }
  await symlink(join(repository, 'node_modules/express'), join(modules, 'express'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const app = join(folder, 'app.mjs')
  await copyFile(join(repository, 'test/compat/upgrade/app.mjs'), app)
  return app
}

/** The packed packages of the previous release; before the first one, those of the current build. */
async function findTarballs(parent: string): Promise<string> {
  if (existsSync(released)) return released
  const tarballs = join(parent, 'tarballs')
  await mkdir(tarballs)
  const folders = packages.map((name) => `./packages/${name}`)
  const args = ['pack', '--silent', '--pack-destination', tarballs, ...folders]
  execFileSync('npm', args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  return tarballs
}

async function unpack(tarballs: string, name: string, installed: string): Promise<void> {
  const prefix = `feed-receiver-${name}-`
  const tarball = (await readdir(tarballs)).find((file) => file.startsWith(prefix))
  if (tarball === undefined) throw new Error(`${tarballs} has no ${prefix}*.tgz`)
  await mkdir(installed)
  const args = ['-xzf', join(tarballs, tarball), '-C', installed, '--strip-components=1']
  execFileSync('tar', args)
  const manifest: Manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  for (const other of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    if (!other.startsWith('@feed-receiver/')) await linkInstalled(other, name, installed)
  }
}

/** Where npm has installed it for that package of this repository. Optional peers may be missing. */
async function linkInstalled(other: string, name: string, installed: string): Promise<void> {
  const target = [join('packages', name), '.']
    .map((folder) => join(repository, folder, 'node_modules', other))
    .find((path) => existsSync(path))
  if (target === undefined) return
  const link = join(installed, 'node_modules', other)
  await mkdir(dirname(link), { recursive: true })
  await symlink(target, link)
}
