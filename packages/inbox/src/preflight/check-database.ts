import { isError } from '@feed-receiver/core/internal'
import type { Database } from '@feed-receiver/database'
import type { TablePrivileges } from '../entry/tables.ts'
import { codeOf, fill, InboxError } from '../errors.ts'
import {
  missingTables,
  sequenceCheck,
  sequencesSql,
  serverChecks,
  tableChecks,
  type DatabaseCheck,
} from './database-checks.ts'

interface DatabaseFinding {
  verdict: DatabaseCheck['verdict']
  /** What is wrong, and how to fix it. */
  message: string
}

interface CheckedTables {
  schema: string
  /** The tables that must exist, with the privileges that the role needs. */
  tables: TablePrivileges
}

/** Checks the database before the tables are installed. Errors: `unfit_database`. */
export async function checkServer(database: Database, schema: string): Promise<void> {
  const rejecting = serverChecks.filter(({ verdict }) => verdict === 'rejected')
  rejectUnfit(await findIn(database, rejecting, { schema, tables: {} }))
}

/** Checks the tables of the inbox and of its queue, or of an extension. Errors: `unfit_database`. */
export async function checkTables(database: Database, checked: CheckedTables): Promise<void> {
  rejectUnfit(await findIn(database, [missingTables, ...tableChecks], checked))
  if (database.kind !== 'postgres') return
  // After the privileges, because it reads the tables.
  const { schema, tables } = checked
  const { rows } = await database.query<Parameters<typeof sequenceCheck>[1][number]>(sequencesSql, [
    schema,
    Object.keys(tables),
  ])
  rejectUnfit(await findIn(database, [sequenceCheck(schema, rows)], checked))
}

/** What weakens the server without failing the start. */
export async function findDatabaseWarnings(database: Database): Promise<string[]> {
  const found = await findIn(database, serverChecks, { schema: '', tables: {} })
  return found.flatMap(({ verdict, message }) => (verdict === 'warned' ? [message] : []))
}

async function findIn(
  database: Database,
  checks: readonly DatabaseCheck[],
  { schema, tables }: CheckedTables,
): Promise<DatabaseFinding[]> {
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
  const { role, database: name } = rows[0] ?? {}
  const names = { schema, role, database: name }
  return known.flatMap(({ verdict, says, fix }, index) => {
    const found = rows[0]?.[index]
    if (typeof found !== 'string') return []
    const fixes = typeof fix === 'string' ? fix : fix(found)
    return [{ verdict, message: fill(`${says} ${fixes}`, { ...names, found }) }]
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

function rejectUnfit(findings: DatabaseFinding[]): void {
  const rejected = findings.filter(({ verdict }) => verdict === 'rejected')
  if (rejected.length === 0) return
  throw new InboxError('unfit_database', rejected.map(({ message }) => message).join(' '))
}

/** SQLSTATEs of a table, column, schema, function or constraint that is missing. */
const structural = new Set(['42P01', '42703', '3F000', '42883', '42P10', '42704'])
const insufficientPrivilege = '42501'

/** Runs a step of the start, and explains an error of the database that says only what is missing. */
export async function explained<T>(schema: string, step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (error instanceof InboxError) throw error
    const reason = isError(error) ? error.message : String(error)
    if (code === insufficientPrivilege) {
      const text = `The role may not use or change something in the schema ${schema} (${reason}). Start once as the owner of the schema, or let the owner run the missing statements of inboxSql(), which also grant the rights.`
      throw new InboxError('damaged_tables', text, { cause: error })
    }
    if (!structural.has(code)) throw error
    throw new InboxError(
      'damaged_tables',
      `The tables of the schema ${schema} do not fit this version (${reason}). Restore what is missing from a backup, or with its statements from inboxSql().`,
      { cause: error },
    )
  }
}
