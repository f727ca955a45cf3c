import { DatabaseError } from '../errors.ts'

/** Rejects a name that SQL does not accept without quotes. This also makes it safe inside SQL. */
export function assertSchemaName(schema: string): void {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new DatabaseError(
      'bad_schema',
      `The schema name ${JSON.stringify(schema)} is invalid. Use 1 to 63 of a-z, 0-9 and _, not starting with a digit.`,
    )
  }
  const isReserved = reservedWords.includes(schema) || schema === 'information_schema'
  if (!isReserved && !schema.startsWith('pg_')) return
  throw new DatabaseError(
    'bad_schema',
    `The schema name ${schema} is reserved by PostgreSQL. Use another one, such as feed_inbox.`,
  )
}

/**
 * The key words of PostgreSQL that name no schema. A test compares them with those of the servers.
 */
export const reservedWords = (
  'all analyse analyze and any array as asc asymmetric authorization binary both case cast ' +
  'check collate collation column concurrently constraint create cross current_catalog ' +
  'current_date current_role current_schema current_time current_timestamp current_user ' +
  'default deferrable desc distinct do else end except false fetch for foreign freeze from ' +
  'full grant group having ilike in initially inner intersect into is isnull join lateral ' +
  'leading left like limit localtime localtimestamp natural not notnull null offset on only ' +
  'or order outer overlaps placing primary references returning right select session_user ' +
  'similar some symmetric system_user table tablesample then to trailing true union unique user using ' +
  'variadic verbose when where window with'
).split(' ')
