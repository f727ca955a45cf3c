import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** The source of what an inbox writes into a new database. */
const sources = [
  'packages/inbox/src/schema',
  'packages/inbox/src/queue',
  'packages/database/src/embedded',
  'packages/database/src/migrate',
]
const tools = ['pg-boss', '@electric-sql/pglite']
const prefix = 'inbox-'

/**
 * Where runs share an embedded database with the tables of an inbox, which takes seconds to create.
 * Its name has a hash of what it is made of, and the day, because pg-boss plans maintenance by the
 * age of its tables. Removes those of earlier days.
 */
export async function findInboxTemplate(root: string, now = new Date()): Promise<string> {
  const folder = join(root, 'node_modules/.cache/feed-receiver')
  await mkdir(folder, { recursive: true })
  // A run that began before midnight may still copy the one of the day before.
  const oldest = dayOf(new Date(now.getTime() - 86_400_000))
  for (const name of await readdir(folder)) {
    const isOld = name.startsWith(prefix) && name < `${prefix}${oldest}`
    if (isOld) await rm(join(folder, name), { recursive: true, force: true })
  }
  return join(folder, `${prefix}${dayOf(now)}-${await hashOf(root)}`)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

async function hashOf(root: string): Promise<string> {
  const hash = createHash('sha256')
  for (const name of tools) {
    const manifest = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')
    hash.update(`${name} ${JSON.parse(manifest).version}\n`)
  }
  for (const source of sources) {
    const names = (await readdir(join(root, source))).filter((name) => !name.endsWith('.test.ts'))
    for (const name of names.toSorted()) {
      hash.update(`${source}/${name}\n`).update(await readFile(join(root, source, name)))
    }
  }
  return hash.digest('hex').slice(0, 16)
}
