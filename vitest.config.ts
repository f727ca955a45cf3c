import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@feed-receiver/source'] },
  ssr: { resolve: { conditions: ['@feed-receiver/source'] } },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
