// npm run faults: fault injection into processes, connections and the database, under load.
import { join } from 'node:path'
import { hasPostgres } from './has-postgres.mjs'
import { build } from './build.mjs'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
await ensureInstalled()
if (!hasPostgres())
  await ensureInstalled(join(root, 'test/support/tools'), 'a PostgreSQL for the fault run')
await build()
process.exitCode = run('node', [
  'test/.built/test/chaos/faults/faults.js',
  ...process.argv.slice(2),
])
