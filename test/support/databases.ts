import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database, type DatabaseOptions } from '@feed-receiver/database'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startProgram } from './start-program.ts'
import { citusUrl } from './citus.ts'
import { copyEmbedded, createCopy, type DatabaseContents } from './templates.ts'

/** For describe.each: the test must pass on both. */
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
  contents?: DatabaseContents,
  options?: DatabaseOptions,
): () => Database {
  let made: TestTarget | undefined
  let database: Database | undefined
  let hasFailed = false
  beforeAll(async () => {
    made = await createTarget(kind, contents)
    database = openDatabase(made.target, options)
    await database.open()
  }, 60_000)
  afterEach(({ task }) => {
    hasFailed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    await database?.close()
    if (!hasFailed) await made?.drop()
  })
  return () => {
    if (!database) throw new Error('the database opens in beforeAll, and this was before it')
    return database
  }
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
