import { runSql } from '../../support/postgres.ts'
import { readExample, startDatabaseProxy, type DatabaseProxy } from './database-proxy.ts'
import { freePort } from '../../support/free-port.ts'

/**
 * Starts HAProxy with the file of our example in front of two loopback servers. One of them may
 * start later.
 */
export async function startHaproxy(ports: readonly [number, number]): Promise<DatabaseProxy> {
  const port = await freePort()
  const config = await readExample('haproxy.cfg', [
    ['127.0.0.1:5000', `127.0.0.1:${port}`],
    ['10.0.0.1:5432', `127.0.0.1:${ports[0]}`],
    ['10.0.0.2:5432', `127.0.0.1:${ports[1]}`],
  ])
  const check = 'create role haproxy_check login'
  await runSql(`postgres://postgres@127.0.0.1:${ports[0]}/postgres`, check)
  return await startDatabaseProxy({ command: 'haproxy', args: ['-db', '-f'], config, port })
}
