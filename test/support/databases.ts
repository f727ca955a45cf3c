import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database, type DatabaseOptions } from '@feed-receiver/database'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { startProgram } from './start-program.ts'
import { citusUrl } from './citus.ts'
import { lendEmbedded } from './lend-embedded.ts'
import { copyEmbedded, createCopy, type DatabaseContents } from './templates.ts'

/** Every test of an inbox must pass on both. */
export const databaseKinds = ['postgres', 'pglite'] as const

export type DatabaseKind = (typeof databaseKinds)[number]

export type DatabaseWay = DatabaseKind | 'shared'

const isEveryWay = process.env.TEST_EVERY_WAY !== undefined

/**
 * With TEST_EVERY_WAY, which the slow tests set, also through another process that has an embedded
 * database open.
 */
export const databaseWays: readonly DatabaseWay[] = isEveryWay
  ? [...databaseKinds, 'shared']
  : databaseKinds

/**
 * For tests that fill a database with hundreds of thousands of rows: both kinds only with
 * TEST_EVERY_WAY.
 */
export const filledKinds: readonly DatabaseKind[] = isEveryWay ? databaseKinds : ['postgres']

/** Options of a test that `npm test` runs on the embedded database, too. */
export const embedded = { tags: ['embedded'] }

/**
 * A describe block for each database; `%s` in the title is its kind. On the embedded one, `npm test`
 * runs only the tests with `embedded`: together they send every statement of the kit. The suites
 * `newest` and `every-way` of the slow tests run all of them.
 */
export function describeOnEach(
  title: string,
  tests: (kind: DatabaseKind) => void,
  options: { timeout?: number } = {},
): void {
  describeOnEachOf(databaseKinds, title, tests, options)
}

/** The same for every way to reach a database. */
export function describeOnEachWay(title: string, tests: (way: DatabaseWay) => void): void {
  describeOnEachOf(databaseWays, title, tests)
}

function describeOnEachOf<Way extends DatabaseWay>(
  ways: readonly Way[],
  title: string,
  tests: (way: Way) => void,
  options: { timeout?: number } = {},
): void {
  for (const way of ways) {
    const tags = way === 'pglite' ? ['pglite'] : []
    // The title and the block are the caller's.
    // oxlint-disable-next-line vitest/valid-describe-callback, vitest/valid-title
    describe.each([way])(title, { tags, ...options }, tests)
  }
}

/** Whether a test's inbox of this kind is on a worker of Citus, which rejects some SQL of tests. */
export function isOnCitus(kind: DatabaseKind): boolean {
  return kind === 'postgres' && citusUrl !== undefined
}

export interface TestTarget {
  target: string | { folder: string }
  drop(): Promise<void>
}

interface FolderTarget extends TestTarget {
  target: { folder: string }
}

/** Creates a database to open, empty or with the tables of an inbox. */
export async function createTarget(
  kind: DatabaseWay,
  contents: DatabaseContents = 'nothing',
): Promise<TestTarget> {
  if (kind === 'shared') return await openElsewhere(await createFolder(contents))
  if (kind === 'pglite') return await createFolder(contents)
  const { url, drop } = await createCopy(contents)
  return { target: url, drop }
}

/** Gives the surrounding describe block one open database. It stays if one of its tests fails. */
export function useDatabase(
  kind: DatabaseWay,
  contents: DatabaseContents = 'nothing',
  options?: DatabaseOptions,
): () => Database {
  let database: Database | undefined
  let end: ((hasFailed: boolean) => Promise<void>) | undefined
  let hasFailed = false
  beforeAll(async () => {
    if (kind === 'pglite' && options === undefined) {
      const lent = await lendEmbedded(contents)
      database = lent.database
      end = lent.giveBack
      return
    }
    const made = await createTarget(kind, contents)
    const opened = await open(kind, contents, made.target, options)
    end = async () => {
      await opened.close()
      if (!hasFailed) await made.drop()
    }
    await opened.open()
    database = opened
  }, 60_000)
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === 'fail'
  })
  afterAll(() => end?.(hasFailed))
  return () => {
    if (!database) throw new Error('the database opens in beforeAll, and this was before it')
    return database
  }
}

async function open(
  kind: DatabaseWay,
  contents: DatabaseContents,
  target: TestTarget['target'],
  options?: DatabaseOptions,
): Promise<Database> {
  if (contents === 'nothing' || kind !== 'postgres' || !isOnCitus(kind)) {
    return openDatabase(target, options)
  }
  // Imported here, because the tests of packages below the inbox must not load it.
  const { citusDatabase } = await import('@feed-receiver/shards')
  return citusDatabase(target, options)
}

async function openElsewhere({ target, drop }: FolderTarget): Promise<TestTarget> {
  const holder = startProgram(new URL('use-database.ts', import.meta.url), [target.folder])
  holder.send('select 1')
  await holder.nextLine()
  return {
    target,
    async drop() {
      holder.kill('SIGKILL')
      await holder.ended
      await drop()
    },
  }
}

async function createFolder(contents: DatabaseContents): Promise<FolderTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-pglite-'))
  await copyEmbedded(folder, contents)
  return { target: { folder }, drop: () => rm(folder, { recursive: true, force: true }) }
}
