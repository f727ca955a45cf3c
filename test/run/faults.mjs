// npm run faults: what becomes of events while processes, connections and the database fail.
import { join } from 'node:path'
import { hasPostgres } from './has-postgres.mjs'
import { ensureInstalled, fromSource, requireNode, root, run } from './install.mjs'

requireNode()
ensureInstalled()
if (!hasPostgres()) ensureInstalled(join(root, 'test/tools'), 'a PostgreSQL for the fault run')
process.exitCode = run('node', [...fromSource, 'test/faults/faults.ts', ...process.argv.slice(2)])
