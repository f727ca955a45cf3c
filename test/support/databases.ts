import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database, type DatabaseOptions } from '@feed-receiver/database'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { copyEmbedded, type EmbeddedContents } from './embedded-templates.ts'
import { createTestDatabase } from './postgres.ts'

/** For describe.each: what a test says must hold on both. */
export const databaseKinds = ['postgres', 'pglite'] as const

export type DatabaseKind = (typeof databaseKinds)[number]

export interface TestTarget {
  target: string | { folder: string }
  drop(): Promise<void>
}

/** A database to open: empty, unless an embedded one is to have the tables of an inbox already. */
export async function createTarget(
  kind: DatabaseKind,
  { embedded = 'nothing' }: { embedded?: EmbeddedContents } = {},
): Promise<TestTarget> {
  if (kind === 'pglite') return await createFolder(embedded)
  const { url, drop } = await createTestDatabase({ url: inject('postgresUrl') })
  return { target: url, drop }
}

/** Gives the describe block around it one open database, which is kept if one of its tests fails. */
export function useDatabase(kind: DatabaseKind, options?: DatabaseOptions): () => Database {
  let made: TestTarget | undefined
  let database: Database | undefined
  let hasFailed = false
  beforeAll(async () => {
    made = await createTarget(kind)
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

async function createFolder(contents: EmbeddedContents): Promise<TestTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-pglite-'))
  await copyEmbedded(folder, contents)
  return { target: { folder }, drop: () => rm(folder, { recursive: true, force: true }) }
}
