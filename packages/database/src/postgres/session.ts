import { ourTypes, type TakenClient } from './postgres-client.ts'
import type { PgClient } from './postgres-connect.ts'
import { sessionSettings, type SessionSetting } from './session-settings.ts'

/** The settings of a connection that are not fine, and when they were read. */
interface Session {
  readAt: number
  wrong: readonly SessionSetting[]
}

const sessions = new WeakMap<PgClient, Session>()

/** A pooler may move a connection to another one of the server, and an app may change it. */
const readAgainAfterMs = 60_000

const names = `{${sessionSettings.map(({ name }) => name).join()}}`

/**
 * The settings with which a statement on this connection would not work as intended. Asks the server
 * when the connection is new, and once a minute.
 */
export async function findWrongSettings(
  client: TakenClient,
  statementTimeoutMs: number,
): Promise<readonly SessionSetting[]> {
  const known = sessions.get(client.pgClient)
  if (known && performance.now() - known.readAt < readAgainAfterMs) return known.wrong
  const { rows } = await client.run<{ name: string; setting: string }>({
    text: 'select name, setting from pg_settings where name = any($1::text[])',
    values: [names],
    query_timeout: statementTimeoutMs,
    types: ourTypes,
  })
  const values = new Map(rows.map(({ name, setting }) => [name, setting]))
  const wrong = sessionSettings.filter(({ name, isFine }) => {
    const value = values.get(name)
    return value !== undefined && !isFine(value, statementTimeoutMs)
  })
  sessions.set(client.pgClient, { readAt: performance.now(), wrong })
  return wrong
}

/**
 * Sets them for the whole session: only for a connection of our own, and for statements that cannot
 * run in a transaction. Behind a pooler in transaction mode, other clients would inherit them.
 */
export async function setForSession(client: TakenClient, query_timeout: number): Promise<void> {
  const wrong = await findWrongSettings(client, query_timeout)
  if (wrong.length === 0) return
  await client.run({ text: setSql('session', wrong), query_timeout })
  sessions.set(client.pgClient, { readAt: performance.now(), wrong: [] })
}

/** SQL that begins a transaction and sets the values to use in it. */
export function beginSql(wrong: readonly SessionSetting[]): string {
  // No query among these statements, so that a handler may still set another isolation level.
  const begin = 'begin isolation level read committed'
  return wrong.length > 0 ? `${begin}; ${setSql('local', wrong)}` : begin
}

function setSql(scope: 'session' | 'local', wrong: readonly SessionSetting[]): string {
  return wrong.map(({ name, use }) => `set ${scope} ${name} to ${use}`).join('; ')
}
