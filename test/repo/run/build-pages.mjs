// Builds the pages of the console and the sandbox if their sources are newer, because servers need
// them.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './install.mjs'

const vite = join(root, 'node_modules/vite/bin/vite.js')
const kit = join(root, 'packages/page-kit')
const config = join(kit, 'vite.config.ts')

/** Ends the process if a page does not build. Takes half a second per page, or no time. */
export function buildPages() {
  for (const name of ['console', 'sandbox', 'cli']) buildPage(join(root, 'packages', name))
}

/** For vitest, so that a single test file finds the pages as well. */
export { buildPages as setup }

function buildPage(folder) {
  const page = join(folder, 'page')
  if (isBuilt(join(folder, 'dist/page/index.html'), page)) return
  const args = ['build', page, '--config', config, '--logLevel', 'warn']
  const status = run('node', [vite, ...args])
  if (status !== 0) process.exit(status)
}

function isBuilt(built, page) {
  if (!existsSync(built)) return false
  const builtAt = statSync(built).mtimeMs
  return [
    join(root, 'package-lock.json'),
    config,
    ...filesIn(page),
    ...filesIn(join(kit, 'src')),
  ].every((path) => statSync(path).mtimeMs < builtAt)
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
