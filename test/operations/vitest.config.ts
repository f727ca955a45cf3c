import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With Prometheus, which `npm test` does not need.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: [],
    include: ['test/operations/*.slow.ts'],
    testTimeout: 240_000,
  },
})
