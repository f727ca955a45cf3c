import { readFileSync } from 'node:fs'
import type { Client, ClientBase, PoolConfig } from 'pg'
import { DatabaseError, messageOf } from '../errors.ts'
import { readHosts } from './host-list.ts'
import { assertAttributes, connectToHosts } from './host-pool.ts'
import { fromPool, type ConnectionSource, type PgPool } from './postgres-connect.ts'

interface PoolLimits {
  max: number
  /** How many connections stay open while idle. */
  min: number
  application_name: string
  connectionTimeoutMillis: number
}

/** Makes a pool for a URL, or a second pool with the settings of a given one. */
export async function makePool(
  target: string | PgPool,
  limits: PoolLimits,
): Promise<ConnectionSource> {
  const { Client, Pool } = await import('pg')
  if (typeof target !== 'string') return fromPool(make(whereAndHow(target.options)))
  const { hosts, attributes } = readHosts(target)
  const check = (client: ClientBase) =>
    assertAttributes(client, attributes, limits.connectionTimeoutMillis)
  const checks = attributes === 'any' ? {} : { onConnect: check }
  const pools = hosts.map(({ name, connectionString }) => {
    assertReadable(connectionString, Client)
    // Given pools, and copies of them, keep the order of their app: one answer before the next.
    return { name, pool: make({ connectionString, pipeline: true, ...checks }) }
  })
  const [only] = pools
  if (only && pools.length === 1 && attributes === 'any') return fromPool(only.pool)
  return connectToHosts(pools, limits.connectionTimeoutMillis)

  function make(config: PoolConfig) {
    const pool = new Pool({ ...config, ...limits, keepAlive: true })
    pool.on('error', onIdleError)
    return pool
  }
}

// An idle connection broke. The pool has dropped it, but without a listener the process ends.
export function onIdleError(): void {
  // The next call takes another connection, and reports an error if there is none.
}

function assertReadable(connectionString: string, Kind: typeof Client): void {
  try {
    Reflect.construct(Kind, [{ connectionString }])
  } catch {
    const file = findUnreadable(connectionString)
    // Without the cause, because its message may contain the password.
    throw new DatabaseError(
      'bad_target',
      file
        ? `A file that the PostgreSQL URL names cannot be read (${file}). Correct its path, and check that this process may read it.`
        : 'The PostgreSQL URL cannot be parsed. Use the form postgres://user:password@host:5432/name, and percent-encode special characters in the password, such as # / ? % and @. The port is at most 65535.',
    )
  }
}

/** The parameter of the URL whose file node-postgres cannot read, with the reason. */
function findUnreadable(connectionString: string): string | undefined {
  const [, query = ''] = /\?(.*)$/s.exec(connectionString) ?? []
  const parameters = new URLSearchParams(query)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name) ?? ''
    try {
      if (path !== '') readFileSync(path)
    } catch (error) {
      return `${name}=${path}: ${messageOf(error)}`
    }
  }
  return undefined
}

const connectionKeys =
  'connectionString host port user password database ssl sslnegotiation enableChannelBinding ' +
  'options stream Client onConnect'

// Not all options of the pool: its time limits would cut a migration of pg-boss short, and its type
// parsers return values that pg-boss does not expect. One by one, because a spread loses the
// password, which pg-pool hides from enumeration.
function whereAndHow(options: object): object {
  const known = connectionKeys.split(' ').filter((key) => Reflect.get(options, key) !== undefined)
  return Object.fromEntries(known.map((key) => [key, Reflect.get(options, key)]))
}
