import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// With HAProxy, PgBouncer and standbys, which `npm test` does not need.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: { ...repository.test, include: ['test/high-availability/*.slow.ts'], maxWorkers: 2 },
})
