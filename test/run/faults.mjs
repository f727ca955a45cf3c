// npm run faults: what becomes of events while processes, connections and the database fail.
import { ensureInstalled, fromSource, requireNode, run } from './install.mjs'

requireNode()
ensureInstalled()
process.exitCode = run('node', [...fromSource, 'test/faults/faults.ts', ...process.argv.slice(2)])
