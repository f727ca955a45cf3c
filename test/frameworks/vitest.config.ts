import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With frameworks that the repository itself does not install.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    globalSetup: ['test/frameworks/global-setup.ts'],
    // Some frameworks replace the global Request with one of their own.
    isolate: true,
    include: ['test/frameworks/*.slow.ts'],
  },
})
