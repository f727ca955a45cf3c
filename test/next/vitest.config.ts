import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Next itself, built and started: too slow for `npm test`, so its files have a name of their own.
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
