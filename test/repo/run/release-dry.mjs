// npm run release:dry: shows what a release would publish, and publishes it to a local registry.
// Then npm create makes an app from there, and runs its tests. Nothing leaves this machine.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
await ensureInstalled()
await ensureInstalled(join(root, 'test/support/tools/stranger'), 'a registry and pnpm')
if (run('npm', ['run', '--silent', 'build']) !== 0) process.exit(1)

showPackages()
process.exitCode = run('node', [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--project=stranger',
  'apps.slow.ts',
  '--testNamePattern',
  'on express',
])

function showPackages() {
  const folders = readdirSync(join(root, 'packages')).filter(isPublished)
  const args = ['pack', '--dry-run', '--json', ...folders.map((name) => `./packages/${name}`)]
  const printed = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 24 })
  const rows = JSON.parse(printed).map(({ name, version, files, size, unpackedSize }) => ({
    package: name,
    version,
    files: files.length,
    'packed kB': inKilobytes(size),
    'unpacked kB': inKilobytes(unpackedSize),
  }))
  console.table(rows)
}

function isPublished(name) {
  const path = join(root, 'packages', name, 'package.json')
  return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).private !== true
}

function inKilobytes(bytes) {
  return Math.round(bytes / 1_000)
}
