import { resolve } from 'node:path'
import { databaseOn, type Database } from './database.ts'
import type { DatabaseOptions } from './driver.ts'
import { pgliteDriver } from './embedded/pglite-driver.ts'
import { DatabaseError, say } from './errors.ts'
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
  const driver = isFolder(target)
    ? pgliteDriver(resolve(target.folder), { lockWaitMs, isShared, isGuest, isDefault })
    : postgresDriver(postgresTarget(target), {
        ...counts,
        ...limits,
        applicationName,
        listenTarget: postgresTarget(listenUrl ?? target),
      })
  return databaseOn(driver, migrationTimeoutMs)
}

/** Reads the folder out of `file:<folder>`, and returns every other target unchanged. */
export function readTarget(target: DatabaseTarget): DatabaseTarget {
  // `file:///folder` is absolute. `file://host/folder` is on another machine.
  const form = /^file:(?!\/\/[^/])(?:\/\/)?(?<folder>.+)$/s
  const { folder } = (typeof target === 'string' && form.exec(target)?.groups) || {}
  return folder === undefined ? target : { folder }
}

function isFolder(target: DatabaseTarget): target is { folder: string } {
  return typeof target === 'object' && 'folder' in target
}

// Quote only the scheme of a wrong target, because the rest may contain a password.
function postgresTarget(target: string | PgPool): string | PgPool {
  if (typeof target !== 'string') return target
  if (/^postgres(?:ql)?:\/\//.test(target)) {
    readHosts(target)
    return target
  }
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(target)?.[0]
  let given = scheme ? `a URL that starts with ${scheme}` : 'a string that is not a PostgreSQL URL'
  if (target === '') given = 'an empty string'
  throw new DatabaseError('bad_target', say('bad_target', { given }))
}

function assertWhole(values: Record<string, number>, least: number): void {
  for (const [name, value] of Object.entries(values)) {
    if (Number.isSafeInteger(value) && value >= least) continue
    throw new DatabaseError('bad_option', say('bad_option', { name, least, value }))
  }
}
