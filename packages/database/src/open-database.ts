import { resolve } from 'node:path'
import { createDatabase, type Database } from './database.ts'
import type { DatabaseOptions } from './driver.ts'
import { pgliteDriver } from './embedded/pglite-driver.ts'
import { DatabaseError } from './errors.ts'
import { readHosts } from './postgres/host-list.ts'
import type { PgPool } from './postgres/postgres-connect.ts'
import { postgresDriver } from './postgres/postgres-driver.ts'

/**
 * A PostgreSQL URL, the app's own `pg.Pool`, or a folder for an embedded database. The text
 * `file:<folder>` names a folder, too, for a variable such as `DATABASE_URL`.
 */
export type DatabaseTarget = string | PgPool | { folder: string }

const defaultTarget = { folder: '.feed-receiver/database' }

/**
 * Opens one interface over PostgreSQL or an embedded PGlite. It connects at the first call, so you
 * can create it at the top level of a module. Without a target it is embedded, in
 * `.feed-receiver/database`, unless `NODE_ENV` is `production`: then each call rejects with
 * `no_database`.
 *
 * Errors: `bad_target`, `bad_option`.
 */
export function openDatabase(
  given: DatabaseTarget = defaultTarget,
  {
    maxConnections = 10,
    maxBossConnections = 4,
    connectionTimeoutMs = 4000,
    queryTimeoutMs = 4500,
    maintenanceTimeoutMs = 30_000,
    migrationTimeoutMs = 60_000,
    listenUrl,
    applicationName = 'feed-receiver',
    lockWaitMs = 5000,
    isShared = true,
    isGuest = false,
  }: DatabaseOptions = {},
): Database {
  const counts = { maxConnections, maxBossConnections }
  const limits = { connectionTimeoutMs, queryTimeoutMs, maintenanceTimeoutMs }
  assertWhole({ ...counts, ...limits, migrationTimeoutMs }, 1)
  assertWhole({ lockWaitMs }, 0)
  const target = readTarget(given)
  const isDefault = given === defaultTarget
  if (isFolder(target)) {
    if (typeof target.folder !== 'string') throw badTarget('a folder that is no string')
    // An unset variable. Resolved, it would be the current directory.
    if (target.folder === '') throw badTarget('a folder without a name')
  }
  const driver = isFolder(target)
    ? pgliteDriver(resolve(target.folder), { lockWaitMs, isShared, isGuest, isDefault })
    : postgresDriver(postgresTarget(target), {
        ...counts,
        ...limits,
        applicationName,
        listenTarget: postgresTarget(listenUrl ?? target),
      })
  return createDatabase(driver, migrationTimeoutMs)
}

/** Reads the folder out of `file:<folder>`, and returns every other target unchanged. */
export function readTarget(target: DatabaseTarget): DatabaseTarget {
  // `file:///folder` is absolute. `file://host/folder` is on another machine.
  const form = /^file:(?!\/\/[^/])(?:\/\/)?(?<folder>.+)$/s
  const { folder } = (typeof target === 'string' && form.exec(target)?.groups) || {}
  return folder === undefined ? target : { folder }
}

function isFolder(target: DatabaseTarget): target is { folder: string } {
  return typeof target === 'object' && target !== null && 'folder' in target
}

// Quote only the scheme of a wrong target, because the rest may contain a password.
function postgresTarget(target: string | PgPool): string | PgPool {
  if (typeof target !== 'string') {
    const given = oddTarget(target)
    if (given === undefined) return target
    throw badTarget(given)
  }
  if (/^postgres(?:ql)?:\/\//.test(target)) {
    readHosts(target)
    return target
  }
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target)?.[0]
  let given = scheme ? `a URL that starts with ${scheme}` : 'a string that is not a PostgreSQL URL'
  if (target === '') given = 'an empty string'
  throw badTarget(given)
}

function badTarget(given: string): DatabaseError {
  const message = `The database is ${given}. Use a URL that starts with postgres:// or postgresql://, a pg.Pool, or { folder } or file:<folder> for an embedded one, which is also the default.`
  return new DatabaseError('bad_target', message)
}

/** Names a target that is no pool, which JavaScript allows; undefined for a pool. */
function oddTarget(target: unknown): string | undefined {
  if (typeof target !== 'object' || target === null)
    return `of the type ${target === null ? 'null' : typeof target}`
  if (target instanceof URL) return 'a URL object: pass its href'
  if ('connectionString' in target) return 'an object with a connectionString: pass that string'
  if (!('connect' in target)) return 'an object that is no pool'
  const isPool = 'totalCount' in target || 'options' in target
  return isPool ? undefined : 'a pg.Client, which is a single connection'
}

function assertWhole(values: Record<string, number>, least: number): void {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new DatabaseError(
      'bad_option',
      `The option ${name} is ${value}. Use a whole number of ${least} or more.`,
    )
  }
}
