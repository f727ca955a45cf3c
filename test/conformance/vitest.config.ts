import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With Python and Go, which `npm test` does without.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    include: ['test/conformance/*.slow.ts'],
    reporters: ['verbose'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
