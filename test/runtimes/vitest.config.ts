import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// One file for each runtime, which runs the built packages.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: {
    ...repository.test,
    include: ['test/runtimes/*.slow.ts'],
  },
})
