import { describeError, isError, withoutSecrets } from '@feed-receiver/core/internal'
import { codeOf, fill } from './errors.ts'

/** What a failure of the database means, and how to fix it, in a sentence each. */
export interface ExplainedFault {
  reason: string
  fix: string
}

/** By their SQLSTATEs, separated by spaces. */
const faults: Readonly<Record<string, ExplainedFault>> = {
  '22021 22P05': {
    reason: 'The encoding of the database has no such character',
    fix: "Move the inbox to a database with the encoding UTF8: create database … encoding 'UTF8' template template0.",
  },
  '23502': {
    reason: 'A column of a table must not be empty, but this version of the kit does not fill it',
    fix: 'Undo the change of the table: the kit owns the tables of its schema.',
  },
  '23505': {
    reason: 'A new row has a key that exists already, so a sequence is behind its table',
    fix: "Move the sequence to the end of the table: select setval(pg_get_serial_sequence('{schema}.entry', 'id'), (select max(id) from {schema}.entry)).",
  },
  '23514': {
    reason: 'A constraint of a table rejects the row',
    fix: 'Undo the change of the table: the kit owns the tables of its schema.',
  },
  '25006': {
    reason: 'The database is read-only',
    fix: 'Connect to the primary: list all hosts in DATABASE_URL with target_session_attrs=read-write, or promote this server.',
  },
  '25P03': {
    reason: 'The transaction waited too long for its next statement',
    fix: "Shorten what runs between its statements, or raise the timeout: alter role … set idle_in_transaction_session_timeout to '5min'.",
  },
  '25P04': {
    reason: 'The transaction took longer than transaction_timeout',
    fix: 'Shorten it, or raise the timeout: alter role … set transaction_timeout to 0.',
  },
  '28000 28P01': {
    reason: 'The database rejects the role or its password',
    fix: 'Check the user and the password in DATABASE_URL, and pg_hba.conf. If its rules require TLS, add sslmode=verify-full to DATABASE_URL.',
  },
  '3D000': {
    reason: 'The database does not exist',
    fix: 'Check the name of the database in DATABASE_URL.',
  },
  '3F000': {
    reason: 'The schema of the inbox does not exist',
    fix: 'Check the option `schema`, or start the inbox again to create it.',
  },
  '40001': {
    reason: 'The database aborted the transaction because of a concurrent one',
    fix: "Set the default isolation back: alter role … set default_transaction_isolation to 'read committed'.",
  },
  '40P01': {
    reason: 'The database aborted the transaction because of a deadlock',
    fix: 'Check which other program locks the tables of the inbox.',
  },
  '42501': {
    reason: 'The role of the app may not do this',
    fix: 'Grant the rights on it as inboxSql does (select, insert, update and delete), and check the row security of the tables.',
  },
  '42703': {
    reason: 'A column is missing',
    fix: 'Restore the column: the kit owns the tables of its schema. If another version migrated them, deploy that version.',
  },
  '42883': {
    reason: 'A function is missing',
    fix: 'Start the inbox again to create it, as a role that may.',
  },
  '42P01': {
    reason: 'A table is missing',
    fix: 'Restore it from a backup, or create it again with its statement from inboxSql(): `start` runs each migration once.',
  },
  '42P10': {
    reason: 'A unique constraint is missing',
    fix: 'Restore the constraint: without it, the inbox cannot tell a duplicate from a new event.',
  },
  '53100': {
    reason: 'The disk of the database is full',
    fix: 'Free some space on it.',
  },
  '53200': {
    reason: 'The database is out of memory',
    fix: 'Lower its memory settings or its number of connections, or give it more memory.',
  },
  '53300': {
    reason: 'The database has no free connection',
    fix: 'Raise max_connections or the connection limit of the role, or lower the pools of its clients.',
  },
  '55000': {
    reason: 'A table or a sequence is not in a state that allows this',
    fix: 'If the table is replicated, set its replica identity; if an extension manages it, finish its maintenance.',
  },
  '55P03 57014': {
    reason: 'The statement took too long',
    fix: "Check the load of the database, and which sessions wait for a lock: select * from pg_stat_activity where wait_event_type = 'Lock'.",
  },
  '57P01 57P02 57P03': {
    reason: 'The database stops or starts',
    fix: 'Wait until it accepts connections. If it does not, look into its log.',
  },
}

const states = new Map(
  Object.entries(faults).flatMap(([codes, fault]) =>
    codes.split(' ').map((code) => [code, fault] as const),
  ),
)

/**
 * Explains a failed statement by its SQLSTATE. The message of the server is added without secrets,
 * unless it may quote a row.
 */
export function explainFault(
  error: unknown,
  { queue: { schema } }: { queue: { schema: string } },
): ExplainedFault {
  const fault = sqlFaultOf(error)
  const code = codeOf(fault)
  // The errors of the kit say what to do.
  if (!isSqlState(code) && isError(error) && code !== undefined) {
    return { reason: withoutSecrets(withoutLink(error.message)), fix: '' }
  }
  const said = describeError(fault)
  const more = [said, code].filter((part, index, all) => part && all.indexOf(part) === index)
  const { reason, fix } = states.get(code ?? '') ?? other
  return { reason: `${reason} (${more.join(', ')}).`, fix: fill(fix, { schema }) }
}

/** The message of an error of the kit, without the link to its documentation. */
export function withoutLink(message: string): string {
  return message.replace(/ More: \S+$/, '')
}

const other: ExplainedFault = {
  reason: 'The database reports an error',
  fix: 'Look for it in the log of the database.',
}

/** The error of the server, if that of the kit has it as its cause. */
function sqlFaultOf(error: unknown): unknown {
  const cause = isError(error) ? error.cause : undefined
  return !isSqlState(codeOf(error)) && isSqlState(codeOf(cause)) ? cause : error
}

/** Whether a code is one of the server, and not one of Node or of the kit. */
export function isSqlState(code: string | undefined): code is string {
  return /^\d[0-9A-Z]{4}$/.test(code ?? '') || /^(?:F0|HV|P0|XX)[0-9A-Z]{3}$/.test(code ?? '')
}

/** Whether the server answers, and only a table, a right or a setting is wrong. */
export function isOfTables(error: unknown): boolean {
  const code = codeOf(error)
  return isSqlState(code) && !/^(?:08|28|3D|53|57|58|XX)/.test(code)
}

/** Whether a statement failed because an earlier one of its transaction had failed. */
export function isInFailedTx(error: unknown): boolean {
  // Drizzle wraps the error of the driver in its own. Causes may be endless, or a circle.
  for (let depth = 0, one = error; depth < 5 && isError(one); depth += 1) {
    if (codeOf(one) === '25P02') return true
    one = one.cause
  }
  return false
}

/**
 * Whether a commit failed because of what the app has written: a deferred constraint of its own
 * tables, or a conflict with another transaction.
 */
export function isOfApp(error: unknown, schema: string): boolean {
  const code = codeOf(error) ?? ''
  const isElsewhere = isError(error) && 'schema' in error && error.schema !== schema
  return code.startsWith('40') || (code.startsWith('23') && isElsewhere)
}

/**
 * Whether a statement failed because of its values. SQLSTATE classes: bad data, a constraint, a
 * limit of the server. Other failures (no connection, no disk, a timeout) would fail the items of a
 * group one by one as well, only more slowly.
 */
export function isDataFault(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error) ?? '')
}
