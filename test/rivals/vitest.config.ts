import { defineConfig } from 'vitest/config'
import repository from '../../vitest.config.ts'

// The servers and workers that `npm run bench -- beside` compares, on PostgreSQL and Redis, and one
// chapter of `npm run prove`.
// oxlint-disable-next-line import/no-default-export
export default defineConfig({
  ...repository,
  test: { ...repository.test, include: ['test/{rivals,prove}/*.slow.ts'], maxWorkers: 1 },
})
