// npm run prove: the evidence for sceptics, on this machine, as a report.
import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, requireNode, run } from './install.mjs'

requireNode()
await ensureInstalled()
const isHelp = process.argv.includes('--help')
const missing = isHelp ? [] : findMissing()
if (missing.length > 0) {
  console.error(`These are missing. Run: apt-get install -y ${missing.join(' ')}`)
  process.exit(2)
}
await build()
process.exitCode = run('node', [
  '--import',
  'tsx',
  'test/bench/prove/prove.ts',
  ...process.argv.slice(2),
])

function findMissing() {
  const programs = { 'redis-server': 'redis-server', haproxy: 'haproxy', pgbouncer: 'pgbouncer' }
  const packages = Object.entries(programs).filter(
    ([program]) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error,
  )
  return [...(hasPostgres() ? [] : ['postgresql']), ...packages.map(([, name]) => name)]
}
