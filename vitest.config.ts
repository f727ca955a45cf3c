import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['@feed-receiver/source'] },
  ssr: { resolve: { conditions: ['@feed-receiver/source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
  },
})
