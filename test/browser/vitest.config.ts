import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// A real browser, which `npm test` does not ask for, so its files have a name of their own.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: ['test/run/build-pages.mjs', 'test/support/global-setup.ts'],
    include: ['test/browser/*.slow.ts'],
    // Chromium never waits: more at a time only make each test slower.
    maxWorkers: availableParallelism(),
  },
})
