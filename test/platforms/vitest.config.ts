import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Vitest takes from it what `import` finds, and what is built for production needs the same.
process.env.NODE_ENV = 'production'

// The platforms themselves, or their own libraries: too heavy for `npm test`.
export default defineConfig({
  ...repository,
  test: {
    globalSetup: ['test/platforms/global-setup.ts'],
    include: ['test/platforms/*.slow.ts'],
    env: {
      NODE_ENV: 'production',
      ASTRO_TELEMETRY_DISABLED: '1',
      NUXT_TELEMETRY_DISABLED: '1',
    },
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
