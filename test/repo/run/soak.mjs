// npm run soak: hours of steady traffic with everything that operating an inbox brings.
import { join } from 'node:path'
import { build } from './build.mjs'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
await ensureInstalled()
if (!hasPostgres())
  await ensureInstalled(join(root, 'test/support/tools'), 'a PostgreSQL for the soak')
await build()
process.exitCode = run('node', [
  '--import',
  'tsx',
  'test/chaos/soak/soak.ts',
  ...process.argv.slice(2),
])
