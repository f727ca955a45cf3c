import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which createTestDatabase makes one database per test file. */
    postgresUrl: string
    /** Where files of one run keep prepared databases for each other. */
    templatesFolder: string
  }
}

/** One server for the whole run: TEST_DATABASE_URL, or a private one that ends with the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-templates-'))
  project.provide('templatesFolder', folder)
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const url = process.env['TEST_DATABASE_URL']
  if (url !== undefined) {
    project.provide('postgresUrl', url)
    return removeFolder
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return async () => {
    await Promise.all([server.stop(), removeFolder()])
  }
}
