import type { BossOptions } from './driver.ts'
import type { PgPool } from './postgres-client.ts'

export interface PostgresBossOptions {
  maxBossConnections: number
  applicationName: string
}

/**
 * How pg-boss makes a small pool of its own to the same server. It needs one: its listener holds a
 * connection, and its migrations and index builds may take longer than any time limit of ours.
 */
export function postgresBossOptions(
  target: string | PgPool,
  { maxBossConnections, applicationName }: PostgresBossOptions,
): BossOptions {
  return {
    ...(typeof target === 'string' ? { connectionString: target } : whereAndHow(target.options)),
    max: maxBossConnections,
    application_name: `${applicationName}-boss`,
    keepAlive: true,
  }
}

const connectionKeys = [
  'connectionString',
  'host',
  'port',
  'user',
  'password',
  'database',
  'ssl',
  'sslnegotiation',
  'enableChannelBinding',
  'options',
  'stream',
  'Client',
  'onConnect',
]

// Not all of the pool's options: its time limits would cut a migration of pg-boss short, and its type
// parsers hand pg-boss values that it does not expect. One by one, since a spread loses the password,
// which pg-pool hides from enumeration.
function whereAndHow(options: object): object {
  const known = connectionKeys.filter((key) => Reflect.get(options, key) !== undefined)
  return Object.fromEntries(known.map((key) => [key, Reflect.get(options, key)]))
}
