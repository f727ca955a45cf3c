import { ensureInstalled, fromSource, requireNode, run } from './install.mjs'

requireNode()
ensureInstalled()
process.exitCode = run('node', [...fromSource, 'test/bench/bench.ts', ...process.argv.slice(2)], {
  env: { ...process.env, NODE_ENV: 'production' },
})
