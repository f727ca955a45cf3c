import { buildPage } from '../../test/run/build-page.mjs'
import { ensureInstalled, fromSource, requireNode, run } from '../../test/run/install.mjs'

requireNode()
ensureInstalled()
buildPage()
process.exitCode = run('node', [...fromSource, 'examples/tour/tour.ts', ...process.argv.slice(2)])
