import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Vitest decides with it what `import` finds. Production builds need the same.
process.env.NODE_ENV = 'production'

// The platforms themselves, or their own libraries, are too large for `npm test`.
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
