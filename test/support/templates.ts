import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { openDatabase } from '@feed-receiver/database'
import type { StartOptions } from '@feed-receiver/inbox'
import { inject } from 'vitest'
import { citusUrl, createOnCitus } from './citus.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'

/** What is in a database before a test opens it. */
export type DatabaseContents = 'nothing' | 'inbox'

/** Puts a prepared embedded database into a folder: making one takes seconds, copying it a third. */
export async function copyEmbedded(folder: string, contents: DatabaseContents): Promise<void> {
  const template = contents === 'nothing' ? await emptyTemplate() : await inboxTemplate()
  await mkdir(folder, { recursive: true })
  await copyFolder(template, join(folder, 'data'))
}

/** Kept between runs. */
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

/** Makes a database on the server of the tests: installing takes ten times as long as copying. */
export async function createCopy(contents: DatabaseContents): Promise<TestDatabase> {
  const server = { url: inject('postgresUrl') }
  if (contents === 'nothing') return await createTestDatabase(server)
  // All that the tests of an inbox on PostgreSQL say, they say of one on a worker of Citus then.
  if (citusUrl !== undefined) {
    const made = await createOnCitus(citusUrl)
    await installInbox(made.url, { place: 'citus' })
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

/** Of this run alone, since the tables may be other ones in the next. */
async function inboxTemplate(): Promise<string> {
  return await makeOnce(join(inject('templatesFolder'), 'inbox'), async (unfinished) => {
    await copyEmbedded(unfinished, 'nothing')
    await installInbox({ folder: unfinished })
    return join(unfinished, 'data')
  })
}

async function installInbox(
  target: string | { folder: string },
  options?: StartOptions,
): Promise<void> {
  // Here and not above: the tests of packages below the inbox do not load it.
  const { createInbox } = await import('@feed-receiver/inbox')
  await using database = openDatabase(target)
  await using inbox = createInbox({ database })
  await inbox.start(options)
}

/** Two files may get here at once; the later one finds the place taken and drops its own. */
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

// Thousands of files: the one of Node takes three times as long.
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-R', from, to])
}
