import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  resolve: { conditions: ['@feed-receiver/source'] },
  ssr: { resolve: { conditions: ['@feed-receiver/source'] } },
  test: {
    // Tests wait for states; these limits are for machines that are busy with something else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Half of the time they wait, for processes, clocks and databases.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // Files share their worker's modules: loading them for each file costs more than most tests.
    isolate: false,
    setupFiles: ['test/support/own-environment.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    globalSetup: [
      'test/run/build.mjs',
      'test/support/global-setup.ts',
      'packages/create-feed-receiver/test/copy-templates.ts',
    ],
    include: [
      'packages/*/src/**/*.test.ts',
      'examples/*/*.test.ts',
      'templates/*/test/*.test.ts',
      'test/**/*.test.ts',
    ],
  },
})
