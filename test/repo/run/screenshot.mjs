// npm run screenshot: takes new pictures of the console, of dev, of the recipes and of the dashboard.
import { buildPages } from './build-pages.mjs'
import { ensureInstalled, fromSource, requireNode, run } from './install.mjs'

requireNode()
await ensureInstalled()
buildPages()
process.exitCode =
  run('node', [...fromSource, 'test/browser/readme-screenshot.ts']) ||
  run('node', [...fromSource, 'test/browser/readme-film.ts']) ||
  run('node', [...fromSource, 'test/browser/recipe-pictures.ts']) ||
  run('node', [...fromSource, 'test/compat/operations/draw-dashboard.ts'])
