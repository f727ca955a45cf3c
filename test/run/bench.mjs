// npm run bench: measures the packages as they are published, built and not from source.
import { join } from 'node:path'
import { buildPages } from './build-pages.mjs'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
ensureInstalled()
buildPages()
if (process.argv.includes('create')) {
  ensureInstalled(join(root, 'test/tools/stranger'), 'a registry and pnpm')
}
if (run('npx', ['tsc', '-b', 'packages']) !== 0) process.exit(1)
process.exitCode = run(
  'node',
  ['--import', 'tsx', 'test/bench/bench.ts', ...process.argv.slice(2)],
  {
    env: { ...process.env, NODE_ENV: 'production' },
  },
)
