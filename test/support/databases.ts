import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { openDatabase, type Database, type DatabaseOptions } from '@feed-receiver/database'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { createTestDatabase } from './postgres.ts'

/** For describe.each: what a test says must hold on both. */
export const databaseKinds = ['postgres', 'pglite'] as const

export type DatabaseKind = (typeof databaseKinds)[number]

export interface TestTarget {
  target: string | { folder: string }
  drop(): Promise<void>
}

/** An empty database to open. */
export async function createTarget(kind: DatabaseKind): Promise<TestTarget> {
  if (kind === 'pglite') return await createFolder()
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

async function createFolder(): Promise<TestTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-pglite-'))
  await cp(await pgliteTemplate(), join(folder, 'data'), { recursive: true })
  return { target: { folder }, drop: () => rm(folder, { recursive: true, force: true }) }
}

/** Creating an embedded database takes three seconds and copying one a third: kept between runs. */
async function pgliteTemplate(): Promise<string> {
  const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  const template = join(tmpdir(), `feed-receiver-pglite-template-${version}`)
  if (existsSync(template)) return template
  const unfinished = await mkdtemp(`${template}-`)
  const lite = await PGlite.create(unfinished)
  await lite.close()
  // Two files may get here at once; the later one finds the place taken and drops its own.
  await rename(unfinished, template).catch(() => rm(unfinished, { recursive: true, force: true }))
  return template
}
