// Builds the page of the console where its sources are newer, since the server reads it built.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './install.mjs'

const folder = join(root, 'packages/console')
const vite = join(root, 'node_modules/vite/bin/vite.js')

/** Ends the process where the page does not build; takes a third of a second, or nothing. */
export function buildPage() {
  if (isBuilt()) return
  const status = run('node', [vite, 'build', '--logLevel', 'warn', join(folder, 'page')])
  if (status !== 0) process.exit(status)
}

/** For vitest, so that a single test file finds the page as well. */
export { buildPage as setup }

function isBuilt() {
  const built = join(folder, 'dist/page/index.html')
  if (!existsSync(built)) return false
  const sources = readdirSync(join(folder, 'page'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const builtAt = statSync(built).mtimeMs
  return [join(root, 'package-lock.json'), ...sources].every(
    (path) => statSync(path).mtimeMs < builtAt,
  )
}
