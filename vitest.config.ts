import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  resolve: { conditions: ['@feed-receiver/source'] },
  ssr: { resolve: { conditions: ['@feed-receiver/source'] } },
  test: {
    // Tests wait for states; these limits are for machines that are busy with something else.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    // Most of the time they wait, for processes, clocks and databases.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
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
