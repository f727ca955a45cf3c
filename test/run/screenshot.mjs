// npm run screenshot: takes the README's picture of the console anew.
import { buildPage } from './build-page.mjs'
import { ensureInstalled, fromSource, requireNode, run } from './install.mjs'

requireNode()
ensureInstalled()
buildPage()
process.exitCode = run('node', [...fromSource, 'test/browser/readme-screenshot.ts'])
