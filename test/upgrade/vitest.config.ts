import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// The release before this one, from its packed tarballs, with traffic while this one replaces it.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: { ...repository.test, include: ['test/upgrade/*.slow.ts'] },
})
