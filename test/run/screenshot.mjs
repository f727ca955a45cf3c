// npm run screenshot: takes the README's picture of the console anew.
import { buildPages } from './build-pages.mjs'
import { ensureInstalled, fromSource, requireNode, run } from './install.mjs'

requireNode()
ensureInstalled()
buildPages()
process.exitCode = run('node', [...fromSource, 'test/browser/readme-screenshot.ts'])
