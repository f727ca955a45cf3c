// Copies the templates of the repository into this package, where npm packs them.
import { cpSync, renameSync, rmSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const from = fileURLToPath(new URL('../../templates', import.meta.url))
const to = fileURLToPath(new URL('templates', import.meta.url))
const frameworks = ['express', 'fastify', 'koa', 'next']

/** What running a template leaves in its folder. */
const leftovers = new Set([
  'node_modules',
  'dist',
  '.next',
  '.feed-receiver',
  '.env',
  'package-lock.json',
  'next-env.d.ts',
])

rmSync(to, { recursive: true, force: true })
for (const framework of frameworks) {
  if (!existsSync(join(from, framework))) continue
  const folder = join(to, framework)
  cpSync(join(from, framework), folder, { recursive: true, filter: isWanted })
  // npm packs no .gitignore, and would obey it.
  renameSync(join(folder, '.gitignore'), join(folder, '_gitignore'))
}

function isWanted(path) {
  return !leftovers.has(basename(path)) && !path.endsWith('.tsbuildinfo')
}
