import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Thousands of deliveries and pages of pull to shards on two servers, while one of them is killed.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: { ...repository.test, include: ['test/shards/*.slow.ts'], fileParallelism: false },
})
