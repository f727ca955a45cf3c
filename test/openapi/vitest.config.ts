import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With external tools, which `npm test` does not need.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: [],
    include: ['test/openapi/*.slow.ts'],
    testTimeout: 120_000,
  },
})
