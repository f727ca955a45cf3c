import type { Client as PgClient } from 'pg'
import { DatabaseError, say } from '../errors.ts'
import type { PgPool } from './postgres-connect.ts'

/** Makes a pool to where a URL leads, or another pool. */
export async function makePool(
  target: string | PgPool,
  limits: { max: number; application_name: string; connectionTimeoutMillis: number },
): Promise<PgPool> {
  const { Client, Pool } = await import('pg')
  if (typeof target === 'string') assertReadable(target, Client)
  const pool = new Pool({
    ...(typeof target === 'string' ? { connectionString: target } : whereAndHow(target.options)),
    ...limits,
    keepAlive: true,
  })
  pool.on('error', onIdleError)
  return pool
}

// An idle connection broke. The pool has dropped it already, but without a listener the process ends.
export function onIdleError(): void {
  // The next call takes another connection, and says so if there is none.
}

function assertReadable(connectionString: string, Client: typeof PgClient): void {
  try {
    Reflect.construct(Client, [{ connectionString }])
  } catch {
    // The error is not kept as a cause: it may hold the password.
    throw new DatabaseError('bad_target', say('bad_url'))
  }
}

const connectionKeys =
  'connectionString host port user password database ssl sslnegotiation enableChannelBinding ' +
  'options stream Client onConnect'

// Not all of the pool's options: its time limits would cut a migration of pg-boss short, and its type
// parsers hand pg-boss values that it does not expect. One by one, since a spread loses the password,
// which pg-pool hides from enumeration.
function whereAndHow(options: object): object {
  const known = connectionKeys.split(' ').filter((key) => Reflect.get(options, key) !== undefined)
  return Object.fromEntries(known.map((key) => [key, Reflect.get(options, key)]))
}
