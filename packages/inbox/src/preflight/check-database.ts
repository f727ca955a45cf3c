import { isError } from '@feed-receiver/core/internal'
import type { Database } from '@feed-receiver/database'
import type { TablePrivileges } from '../entry/tables.ts'
import { codeOf, fill, InboxError } from '../errors.ts'
import { sequenceCheck, sequencesSql, serverChecks, tableChecks } from './database-checks.ts'
import type { DatabaseCheck, Sequence } from './database-checks.ts'

interface CheckedTables {
  schema: string
  /** The tables that must exist, with the privileges that the role needs. */
  tables: TablePrivileges
}

/** Checks the database before the tables are installed. Errors: `unfit_database`. */
export async function checkServer(database: Database, schema: string): Promise<void> {
  const needed = serverChecks.filter(({ verdict }) => verdict === 'rejected')
  await rejectUnfit(database, needed, { schema, tables: {} })
}

/** Checks the tables of the inbox and of its queue, or of an extension. Errors: `unfit_database`. */
export async function checkTables(database: Database, checked: CheckedTables): Promise<void> {
  await rejectUnfit(database, tableChecks, checked)
  if (database.kind !== 'postgres') return
  // After the privileges, because it reads the tables.
  const { schema, tables } = checked
  const values = [schema, Object.keys(tables)]
  const { rows } = await database.query<Sequence>(sequencesSql, values)
  await rejectUnfit(database, [sequenceCheck(schema, rows)], checked)
}

/** What weakens the server without failing the start. */
export async function findDatabaseWarnings(database: Database): Promise<string[]> {
  const warned = serverChecks.filter(({ verdict }) => verdict === 'warned')
  return await findIn(database, warned, { schema: '', tables: {} })
}

async function rejectUnfit(...given: Parameters<typeof findIn>): Promise<void> {
  const found = await findIn(...given)
  if (found.length > 0) throw new InboxError('unfit_database', found.join(' '))
}

/** Returns what the checks find, and how to fix it. */
async function findIn(
  database: Database,
  checks: readonly DatabaseCheck[],
  { schema, tables }: CheckedTables,
): Promise<string[]> {
  // The embedded database has no roles, replicas or settings of others.
  if (database.kind !== 'postgres') return []
  const known = (await hasAll(database, checks)) ? checks : checks.filter(({ since }) => !since)
  const columns = known.map(({ sql }, index) => `, ${sql}::text as "${index}"`)
  // All values are in use, because a check may need none.
  const { rows } = await database.query<Record<string, string | null>>(
    `select quote_ident(current_user) as role, quote_ident(current_database()) as database
       ${columns.join('')}
     from (select $1::text, $2::text[], $3::json) given`,
    [schema, Object.keys(tables), JSON.stringify(tables)],
  )
  return known.flatMap(({ says, fix }, index) => {
    const found = rows[0]?.[index]
    if (typeof found !== 'string') return []
    const fixes = typeof fix === 'string' ? fix : fix(found)
    return [fill(`${says} ${fixes}`, { ...rows[0], schema, found })]
  })
}

/** Whether the server knows the SQL of all. */
async function hasAll(database: Database, checks: readonly DatabaseCheck[]): Promise<boolean> {
  const oldest = Math.max(...checks.map(({ since = 0 }) => since))
  if (oldest === 0) return true
  const { rows } = await database.query<{ isNewer: boolean }>(
    `select current_setting('server_version_num')::integer >= $1::integer as "isNewer"`,
    [oldest],
  )
  return rows[0]?.isNewer === true
}

/** SQLSTATEs of a table, column, schema, function or constraint that is missing. */
const structural = ['42P01', '42703', '3F000', '42883', '42P10', '42704']
const insufficientPrivilege = '42501'

/** Runs a step of the start, and explains an error of the database that says only what is missing. */
export async function explained<T>(schema: string, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (error instanceof InboxError || ![...structural, insufficientPrivilege].includes(code))
      throw error
    const reason = isError(error) ? error.message : String(error)
    const message =
      code === insufficientPrivilege
        ? `The role may not use or change something in the schema ${schema} (${reason}). Start once as the owner of the schema, or let the owner run the missing statements of inboxSql(), which also grant the rights.`
        : `The tables of the schema ${schema} do not fit this version (${reason}). Restore what is missing from a backup, or with its statements from inboxSql().`
    throw new InboxError('damaged_tables', message, { cause: error })
  }
}
