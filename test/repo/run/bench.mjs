// npm run bench: measures the packages as they are published, built and not from source.
import { join } from 'node:path'
import { build } from './build.mjs'
import { ensureInstalled, requireNode, root, run } from './install.mjs'

requireNode()
await ensureInstalled()
await build()
if (process.argv.includes('create')) {
  await ensureInstalled(join(root, 'test/support/tools/stranger'), 'a registry and pnpm')
}
process.exitCode = run(
  'node',
  ['--import', 'tsx', 'test/bench/bench.ts', ...process.argv.slice(2)],
  {
    env: { ...process.env, NODE_ENV: 'production' },
  },
)
