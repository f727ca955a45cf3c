import { readExample, startDatabaseProxy, type DatabaseProxy } from './database-proxy.ts'
import { freePort } from '../../support/free-port.ts'

/** Starts PgBouncer with the file of our example, except passwords, in front of a port. */
export async function startPgBouncer(serverPort: number): Promise<DatabaseProxy> {
  const port = await freePort()
  const config = await readExample('pgbouncer.ini', [
    ['host=127.0.0.1 port=5000', `host=127.0.0.1 port=${serverPort} user=postgres`],
    [/^listen_port = .*$/m, `listen_port = ${port}`],
    [/^auth_type = .*$/m, 'auth_type = any'],
    [/^auth_file = .*\n/m, ''],
  ])
  return await startDatabaseProxy({ command: 'pgbouncer', args: ['--quiet'], config, port })
}
