import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { openDatabase } from '@feed-receiver/database'
import { inject } from 'vitest'

/** What is in an embedded database before a test opens it. */
export type EmbeddedContents = 'nothing' | 'inbox'

/** Puts a prepared embedded database into a folder: making one takes seconds, copying it a third. */
export async function copyEmbedded(folder: string, contents: EmbeddedContents): Promise<void> {
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

/** Of this run alone, since the tables may be other ones in the next. */
async function inboxTemplate(): Promise<string> {
  return await makeOnce(join(inject('templatesFolder'), 'inbox'), async (unfinished) => {
    await copyEmbedded(unfinished, 'nothing')
    // Here and not above: the tests of packages below the inbox do not load it.
    const { createInbox } = await import('@feed-receiver/inbox')
    await using database = openDatabase({ folder: unfinished })
    await using inbox = createInbox({ database })
    await inbox.start()
    return join(unfinished, 'data')
  })
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
