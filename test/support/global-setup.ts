import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which createTestDatabase makes one database per test file. */
    postgresUrl: string
  }
}

/** One server for the whole run: TEST_DATABASE_URL, or a private one that ends with the run. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const url = process.env['TEST_DATABASE_URL']
  if (url !== undefined) {
    project.provide('postgresUrl', url)
    return undefined
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
