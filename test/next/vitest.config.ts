import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Builds and starts Next, which is too slow for `npm test`. So its files have another suffix.
export default defineConfig({
  ...repository,
  test: {
    globalSetup: ['test/next/global-setup.ts'],
    include: ['test/next/*.slow.ts'],
    env: { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
})
