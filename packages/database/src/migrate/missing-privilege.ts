import type { Tx } from '../driver.ts'
import { DatabaseError, messageOf, sqlState } from '../errors.ts'

const insufficientPrivilege = '42501'

/**
 * The error to report for one of a migration: names the grant if a privilege is missing. To `begin`
 * needs to create tables if there are none, and else to read which migrations are applied.
 */
export async function explainMissingPrivilege(
  inTx: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>,
  { schema, applied }: { schema: string; applied: string },
  needs: 'create' | 'begin' | 'read',
  error: unknown,
): Promise<unknown> {
  const cause = error instanceof DatabaseError ? error.cause : error
  if (sqlState(cause) !== insufficientPrivilege) return error
  const { rows } = await inTx((tx) =>
    tx.query<{ role: string; database: string; hasSchema: boolean; lists: string[] }>(
      `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
         exists (select from pg_namespace where nspname = $1) as "hasSchema",
         array(
           select list from unnest($2::text[]) list
           join pg_class on relname = split_part(list, '.', 2)
           join pg_namespace namespace on namespace.oid = relnamespace and nspname = $1
         ) as lists`,
      [schema, [applied, `${schema}.migration_lock`]],
    ),
  )
  const { role = '', database = '', hasSchema = false, lists = [] } = rows[0] ?? {}
  const hasTable = lists.includes(applied)
  const andGrant = (rights: string, tables: string[]) =>
    tables.length > 0 ? `; grant ${rights} on ${tables.join(', ')} to ${role}` : ''
  const create = hasSchema
    ? `grant usage, create on schema ${schema} to ${role}${andGrant('select, insert, update', lists)}`
    : `create schema ${schema} authorization ${role}`
  const select = andGrant('select', hasTable ? [applied] : [])
  const read = `grant usage on schema ${schema} to ${role}${select}`
  const grant = needs === 'create' || (needs === 'begin' && !hasTable) ? create : read
  const reason = messageOf(cause)
  const text = `The role ${role} lacks a privilege on the schema ${schema} of the database ${database} (${reason}). As the owner or an administrator, run: ${grant}. Or let the owner create the tables, and start without migrating.`
  return new DatabaseError('no_privilege', text, { cause })
}
