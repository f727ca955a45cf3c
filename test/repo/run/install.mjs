// Installs the packages that a fresh clone lacks. No dependencies, because it runs before there are
// any.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { alone } from './alone.mjs'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Ends the process with a message if this Node is too old. Without a version, for the repository. */
export function requireNode(needed = [20, 19]) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return
  console.error(`Node ${needed.join('.')} or newer is needed; this is ${process.version}.`)
  process.exit(2)
}

/**
 * Runs `npm ci` in a folder unless all packages of its lockfile are installed. If it fails, ends the
 * process, and says what to do `instead`.
 */
export async function ensureInstalled(folder = root, what = 'packages', instead = '') {
  if (isInstalled(folder)) return
  await alone(join(folder, '.installing'), `installing ${what}`, () =>
    install(folder, what, instead),
  )
}

async function install(folder, what, instead) {
  // Another run may have done it in the meantime.
  if (isInstalled(folder)) return
  console.log(`Installing ${what} with npm ci; the first time this takes about half a minute …`)
  const startedAt = Date.now()
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  const [status] = await once(npm, 'exit')
  if (status !== 0) {
    console.error(`npm ci failed in ${folder}. Run it there yourself to see why.${instead}`)
    process.exit(2)
  }
  console.log(`Installed ${what} in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
}

/** The same for several folders of the repository, three at a time. Each has a name for people. */
export async function ensureAllInstalled(folders) {
  const waiting = Object.entries(folders)
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [folder, what] = next
        await ensureInstalled(join(root, folder), what)
      }
    }),
  )
}

function isInstalled(folder) {
  const present = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(present)) return false
  const installed = readPackages(present)
  return Object.entries(readPackages(join(folder, 'package-lock.json'))).every(
    ([path, { version, optional, link }]) =>
      path === '' ||
      optional ||
      link ||
      !path.includes('node_modules/') ||
      installed[path]?.version === version,
  )
}

function readPackages(lockfile) {
  return JSON.parse(readFileSync(lockfile, 'utf8')).packages
}

/** Runs a command to its end with its output shown, and returns its exit code. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (error) console.error(`${command}: ${error.message}`)
  return status ?? 1
}

/** Runs this repository's TypeScript from source. */
export const fromSource = ['--import', 'tsx', '--conditions=@feed-receiver/source']
