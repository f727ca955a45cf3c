import type * as Pglite from '@electric-sql/pglite'
import { DatabaseError, messageOf } from '../errors.ts'
import { codeOf, isError } from '@feed-receiver/core/internal'

export type PgliteModule = typeof Pglite

/** Loads PGlite, which an app that uses PostgreSQL need not install. Errors: `pglite_missing`. */
export async function importPglite(): Promise<PgliteModule> {
  try {
    return await import('@electric-sql/pglite')
  } catch (cause) {
    throw new DatabaseError(
      'pglite_missing',
      'The embedded database needs PGlite, which is not installed. Run `npm install @electric-sql/pglite@~0.5.16`, or pass a PostgreSQL URL as the database.',
      { cause },
    )
  }
}

/**
 * The error if PGlite could not load its own files, which exist whatever its folder is; undefined
 * for every other cause.
 */
export function pgliteFault(cause: unknown): DatabaseError | undefined {
  const code = codeOf(cause)
  const isMissing = code === 'ENOENT' || code === 'ERR_INVALID_URL'
  const file = isMissing ? ownFile.exec(textOf(cause))?.[0] : undefined
  if (file !== undefined) {
    return new DatabaseError(
      'pglite_missing',
      `The embedded database cannot load ${file} of PGlite, which a bundler leaves out. Keep the package out of the bundle, with esbuild by \`--external:@electric-sql/pglite\`, or pass a PostgreSQL URL as the database.`,
      { cause },
    )
  }
  if (code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') return undefined
  return new DatabaseError(
    'pglite_missing',
    'The embedded database cannot load PGlite here, because the test runner supports no dynamic import. Let it transform the .cjs files of PGlite, too, or pass a PostgreSQL URL as the database.',
    { cause },
  )
}

const ownFile = /(?:pglite|initdb)\.(?:wasm|data)/

/** Node names the file of an invalid URL beside the message. */
function textOf(cause: unknown): string {
  return isError(cause) && 'input' in cause
    ? `${cause.message} ${String(cause.input)}`
    : messageOf(cause)
}
