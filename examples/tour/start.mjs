import { ensureInstalled, fromSource, requireNode, run } from '../../test/run/install.mjs'

requireNode()
ensureInstalled()
process.exitCode = run('node', [...fromSource, 'examples/tour/tour.ts', ...process.argv.slice(2)])
