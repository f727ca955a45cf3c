import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    globalSetup: ['test/support/global-setup.ts', 'test/stranger/global-setup.ts'],
    include: ['test/stranger/*.slow.ts'],
    reporters: ['verbose'],
    // Each file already runs several apps concurrently.
    fileParallelism: false,
    // With an empty cache of the registry, an app takes as long as the downloads.
    hookTimeout: 300_000,
    testTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
