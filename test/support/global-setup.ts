import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { repository } from './built-program.ts'
import { findInboxTemplate } from './inbox-template.ts'
import { runSql, startPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A server on which createTestDatabase creates one database per test file. */
    postgresUrl: string
    /** Where the test files of one run share prepared databases. */
    templatesFolder: string
    /** Where the test files of all runs share an embedded database with an inbox. */
    inboxTemplate: string
  }
}

/** One server for the whole run: TEST_DATABASE_URL, or a private one that ends with the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-templates-'))
  project.provide('templatesFolder', folder)
  project.provide('inboxTemplate', await findInboxTemplate(repository))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  const url = process.env['TEST_DATABASE_URL']
  if (url !== undefined) {
    project.provide('postgresUrl', url)
    return async () => {
      const template = await readFile(join(folder, 'postgres/name'), 'utf8').catch(() => undefined)
      if (template !== undefined) await runSql(url, `drop database ${template}`)
      await removeFolder()
    }
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.url)
  return async () => {
    await Promise.all([server.stop(), removeFolder()])
  }
}
