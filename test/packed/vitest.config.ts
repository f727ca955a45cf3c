import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    globalSetup: ['test/packed/build-and-pack.ts'],
    include: ['test/packed/*.slow.ts'],
    reporters: ['verbose'],
    // With an empty npm cache, a project takes as long as the downloads.
    hookTimeout: 300_000,
    testTimeout: 60_000,
  },
})
