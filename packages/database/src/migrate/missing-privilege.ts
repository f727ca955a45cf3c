import type { Tx } from '../driver.ts'
import { DatabaseError, messageOf, say, sqlState } from '../errors.ts'

const insufficientPrivilege = '42501'

/** The error to report for one of a migration: names the grant if a privilege is missing. */
export async function explainMissingPrivilege(
  inTx: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>,
  schema: string,
  needs: 'create' | 'read',
  error: unknown,
): Promise<unknown> {
  const cause = error instanceof DatabaseError ? error.cause : error
  if (sqlState(cause) !== insufficientPrivilege) return error
  const { rows } = await inTx((tx) =>
    tx.query<{ role: string; database: string; hasSchema: boolean }>(
      `select quote_ident(current_user) as role, quote_ident(current_database()) as database,
         exists (select from pg_namespace where nspname = $1) as "hasSchema"`,
      [schema],
    ),
  )
  const { role, database, hasSchema } = rows[0] ?? { role: '', database: '', hasSchema: false }
  const create = hasSchema
    ? `grant usage, create on schema ${schema} to ${role}`
    : `create schema ${schema} authorization ${role}`
  const read = `grant usage on schema ${schema} to ${role}; grant select on ${schema}.migration to ${role}`
  const grant = needs === 'create' ? create : read
  const reason = messageOf(cause)
  const text = say('no_privilege', { role, database, schema, grant, reason })
  return new DatabaseError('no_privilege', text, { cause })
}
