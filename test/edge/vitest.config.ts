import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With runtimes from npm, which `npm test` does not need.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: ['test/support/global-setup.ts'],
    include: ['test/edge/*.slow.ts'],
  },
})
