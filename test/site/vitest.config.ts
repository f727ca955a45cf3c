import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// A real browser and a build of the site, which `npm test` asks for neither.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: { ...repository.test, globalSetup: [], include: ['test/site/*.slow.ts'] },
})
