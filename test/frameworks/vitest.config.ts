import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With frameworks that are not installed in the repository itself.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: ['test/frameworks/global-setup.ts'],
    // Some frameworks replace the global Request.
    isolate: true,
    include: ['test/frameworks/*.slow.ts'],
  },
})
