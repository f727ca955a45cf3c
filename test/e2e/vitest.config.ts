import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// Kills, full disks and long outages at full size, and every example as a process.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    include: ['test/e2e/*.slow.ts'],
    // They have time limits that a busy machine would exceed.
    maxWorkers: 3,
  },
})
