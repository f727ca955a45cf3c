import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const cores = availableParallelism()
const build = 'test/repo/run/build.mjs'
const databases = 'test/support/global-setup.ts'
const copiedTemplates = 'packages/create-feed-receiver/test/copy-templates.ts'

type ProjectTests = NonNullable<TestProjectInlineConfiguration['test']>

/**
 * `npm test` runs the project `quick`. Each other project is a suite of `npm run test:slow`, which
 * also installs what it needs: its files end in `.slow.ts`.
 */
export default defineConfig({
  resolve: { conditions: ['@feed-receiver/source'] },
  ssr: { resolve: { conditions: ['@feed-receiver/source'] } },
  test: {
    // Tests wait for states; these limits are for machines that are busy with something else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    // Files share their worker's modules: loading them for each file costs more than most tests.
    isolate: false,
    setupFiles: ['test/support/own-environment.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    tags: [
      { name: 'pglite', description: 'Runs on the embedded database, and on PostgreSQL as well.' },
      { name: 'embedded', description: 'In `npm test` on the embedded database, too.' },
    ],
    projects: [
      project('quick', {
        globalSetup: [build, databases, copiedTemplates],
        // Half of the time they wait, for processes, clocks and databases.
        maxWorkers: cores + 4,
        include: [
          'packages/*/src/**/*.test.ts',
          'examples/*/*.test.ts',
          'templates/recipes/test/*.test.ts',
          'test/**/*.test.ts',
        ],
      }),
      ...[
        slow('integration', { globalSetup: [build, databases], maxWorkers: 3 }),
        // They have time limits that a busy machine would exceed.
        slow('chaos/kills', { globalSetup: [build, databases], maxWorkers: 3 }),
        slow('chaos/high-availability', { globalSetup: [build, databases], maxWorkers: 2 }),
        slow('chaos/shards', { globalSetup: [build, databases], fileParallelism: false }),
        // Chromium never waits: more at a time only make each test slower.
        slow('browser', {
          globalSetup: ['test/repo/run/build-pages.mjs', databases],
          maxWorkers: cores,
        }),
        slow('browser/site'),
        slow('bench/contenders', { globalSetup: [build, databases], maxWorkers: 1 }),
        slow('bench/prove', { globalSetup: [build, databases], maxWorkers: 1 }),
        slow('compat/runtimes', { globalSetup: [build, databases] }),
        slow('compat/upgrade', { globalSetup: [build, databases] }),
        slow('compat/edge', { globalSetup: [databases] }),
        // Some frameworks replace the global Request.
        slow('compat/frameworks', {
          globalSetup: ['test/compat/frameworks/global-setup.ts'],
          isolate: true,
        }),
        slow('compat/languages', { isolate: true, testTimeout: 180_000 }),
        slow('compat/mcp', { isolate: true, testTimeout: 180_000, hookTimeout: 60_000 }),
        slow('compat/next', {
          globalSetup: ['test/compat/next/global-setup.ts'],
          isolate: true,
          env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
          hookTimeout: 180_000,
        }),
        slow('compat/openapi', { testTimeout: 120_000 }),
        slow('compat/operations', { testTimeout: 240_000 }),
        slow('compat/packed', {
          globalSetup: ['test/compat/packed/build-and-pack.ts'],
          isolate: true,
          // With an empty npm cache, a project takes as long as the downloads.
          hookTimeout: 300_000,
        }),
        slow('compat/platforms', {
          globalSetup: ['test/compat/platforms/global-setup.ts'],
          isolate: true,
          env: {
            NODE_ENV: 'production',
            ASTRO_TELEMETRY_DISABLED: '1',
            NUXT_TELEMETRY_DISABLED: '1',
          },
        }),
        slow('compat/stranger', {
          globalSetup: [databases, 'test/compat/stranger/global-setup.ts'],
          isolate: true,
          // Each file already runs several apps concurrently.
          fileParallelism: false,
          // With an empty cache of the registry, an app takes as long as the downloads.
          hookTimeout: 300_000,
          testTimeout: 300_000,
          expect: { poll: { timeout: 60_000 } },
        }),
      ].map(inTurn),
    ],
  },
})

/** The slow tests of a folder of `test/`, named after it. */
function slow(folder: string, options: ProjectTests = {}): TestProjectInlineConfiguration {
  const name = folder.slice(folder.indexOf('/') + 1)
  return project(name, { maxWorkers: cores, include: [`test/${folder}/*.slow.ts`], ...options })
}

function project(name: string, options: ProjectTests): TestProjectInlineConfiguration {
  return { extends: true, test: { name, ...options } }
}

/** Projects with different numbers of workers run one after the other. */
function inTurn(
  { test, ...suite }: TestProjectInlineConfiguration,
  index: number,
): TestProjectInlineConfiguration {
  return { ...suite, test: { ...test, sequence: { groupOrder: index + 1 } } }
}
