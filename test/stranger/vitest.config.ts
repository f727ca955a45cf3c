import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    globalSetup: ['test/support/global-setup.ts', 'test/stranger/global-setup.ts'],
    include: ['test/stranger/*.slow.ts'],
    reporters: ['verbose'],
    // Each file has several apps at work at once already.
    fileParallelism: false,
    // With nothing in the registry's cache, an app takes as long as the network does.
    hookTimeout: 300_000,
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
