import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    include: ['test/mcp/*.slow.ts'],
    reporters: ['verbose'],
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
})
