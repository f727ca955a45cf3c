import { ourTypes, type TakenClient } from './postgres-client.ts'
import type { PgClient } from './postgres-connect.ts'
import { sessionSettings, type SessionSetting } from './session-settings.ts'

/** The state of a connection to the server. */
export interface SessionState {
  readAt: number
  /** The settings with which a statement would not work as intended. */
  wrong: readonly SessionSetting[]
  /** Whether it leads to one backend, and to no pooler, which would answer for several. */
  isDirect: boolean
}

const sessions = new WeakMap<PgClient, SessionState>()

/** A pooler may move a connection to another one of the server, and an app may change it. */
const readAgainAfterMs = 60_000

const names = `{${sessionSettings.map(({ name }) => name).join()}}`

/** Reads the session. Asks the server when the connection is new, and once a minute. */
export async function readSession(
  client: TakenClient,
  statementTimeoutMs: number,
): Promise<SessionState> {
  const { pgClient } = client
  const known = sessions.get(pgClient)
  if (known && performance.now() - known.readAt < readAgainAfterMs) return known
  const { rows } = await client.run<{ name: string; setting: string; pid: number }>(
    {
      text: `select name, setting, pg_backend_pid() as pid from pg_settings
        where name = any($1::text[])`,
      values: [names],
      types: ourTypes,
    },
    statementTimeoutMs,
  )
  const values = new Map(rows.map(({ name, setting }) => [name, setting]))
  const wrong = sessionSettings.filter(({ name, isFine }) => {
    const value = values.get(name)
    return value !== undefined && !isFine(value, statementTimeoutMs)
  })
  const isDirect = rows.some(({ pid }) => pid === pgClient.processID)
  const session = { readAt: performance.now(), wrong, isDirect }
  sessions.set(pgClient, session)
  return session
}

/**
 * Sets them for the whole session: only for a connection of our own, and for statements that cannot
 * run in a transaction. Behind a pooler in transaction mode, other clients would inherit them.
 */
export async function setForSession(client: TakenClient, timeoutMs: number): Promise<void> {
  const session = await readSession(client, timeoutMs)
  if (session.wrong.length === 0) return
  await client.run({ text: setSql('session', session.wrong) }, timeoutMs)
  sessions.set(client.pgClient, { ...session, readAt: performance.now(), wrong: [] })
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
