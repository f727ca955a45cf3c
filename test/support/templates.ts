import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { openDatabase } from '@feed-receiver/database'
import { inject } from 'vitest'
import { citusUrl, createOnCitus } from './citus.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

/** The contents of a database before a test opens it. */
export type DatabaseContents = 'nothing' | 'inbox'

/**
 * Copies a prepared embedded database into a folder, in a third of a second. Creating one takes
 * seconds.
 */
export async function copyEmbedded(folder: string, contents: DatabaseContents): Promise<void> {
  const template = contents === 'nothing' ? await emptyTemplate() : await inboxTemplate()
  await mkdir(folder, { recursive: true })
  await copyFolder(template, join(folder, 'data'))
}

/** Stored between runs. */
async function emptyTemplate(): Promise<string> {
  const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const template = join(tmpdir(), `feed-receiver-pglite-template-${version}`)
  return await makeOnce(template, async (unfinished) => {
    const lite = await PGlite.create(unfinished)
    await lite.close()
    return unfinished
  })
}

/** Creates a database on the test server. Installing takes ten times as long as copying. */
export async function createCopy(contents: DatabaseContents): Promise<TestDatabase> {
  const server = { url: inject('postgresUrl') }
  if (contents === 'nothing') return await createTestDatabase(server)
  // With Citus, all tests of an inbox on PostgreSQL run on a worker of the cluster.
  if (citusUrl !== undefined) {
    const made = await createOnCitus(citusUrl)
    await installOnCitus(made.url)
    return made
  }
  const made = join(inject('templatesFolder'), 'postgres')
  await makeOnce(made, async (unfinished) => {
    const { url } = await createTestDatabase(server)
    await installInbox(url)
    await writeFile(join(unfinished, 'name'), new URL(url).pathname.slice(1))
    return unfinished
  })
  return await createTestDatabase(server, await readFile(join(made, 'name'), 'utf8'))
}

/** Stored between runs, by a name that changes with its tables. */
async function inboxTemplate(): Promise<string> {
  return await makeOnce(inject('inboxTemplate'), async (unfinished) => {
    await copyEmbedded(unfinished, 'nothing')
    await installInbox({ folder: unfinished })
    return join(unfinished, 'data')
  })
}

async function installInbox(target: string | { folder: string }): Promise<void> {
  // Imported here, because the tests of packages below the inbox must not load it.
  const { createInbox } = await import('@feed-receiver/inbox')
  await using database = openDatabase(target)
  await using inbox = createInbox({ database })
  await inbox.start()
}

async function installOnCitus(url: string): Promise<void> {
  const { createInbox } = await import('@feed-receiver/inbox')
  const { citusDatabase, placeOnCitus } = await import('@feed-receiver/shards')
  await using database = citusDatabase(url)
  await using inbox = createInbox({ database })
  await inbox.start()
  await placeOnCitus(inbox)
}

/**
 * Two test files, or two runs, may do this at once: the later one finds the folder and drops its
 * own. A folder has its name only once it is complete.
 */
async function makeOnce(
  template: string,
  make: (unfinished: string) => Promise<string>,
): Promise<string> {
  if (existsSync(template)) return template
  const unfinished = await mkdtemp(`${template}-`)
  const made = await make(unfinished)
  await rename(made, template).catch(() => undefined)
  await rm(unfinished, { recursive: true, force: true })
  return template
}

// Thousands of files, for which the copy of Node takes three times as long.
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-R', from, to])
}
