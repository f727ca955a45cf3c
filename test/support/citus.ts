import { randomBytes } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { killFamily, runSql, type PostgresServer, type TestDatabase } from './postgres.ts'

/** The coordinator of a Citus cluster. If unset, tests that need one are skipped. */
export const citusUrl = process.env['TEST_CITUS_URL']

/** Creates a database on every node of the cluster, and joins them. */
export async function createOnCitus(url: string): Promise<TestDatabase> {
  const workers = await workersOf(url)
  const name = `test_${randomBytes(6).toString('hex')}`
  const nodes = [url, ...workers.map(({ host, port }) => at(url, { host, port }))]
  for (const node of nodes) {
    await runSql(node, `create database ${name}`)
    await runSql(at(node, { name }), 'create extension citus')
  }
  const made = at(url, { name })
  const { hostname, port } = new URL(url)
  await runSql(made, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`)
  for (const worker of workers) {
    await runSql(made, `select citus_add_node('${worker.host}', ${worker.port})`)
  }
  return {
    url: made,
    async drop() {
      for (const node of nodes) await runSql(node, `drop database ${name} with (force)`)
    },
  }
}

/** The workers of a cluster, by the names that Citus has for them. */
export async function workersOf(url: string): Promise<CitusWorker[]> {
  return await ask<CitusWorker>(
    url,
    'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by nodeid',
  )
}

export interface CitusWorker {
  host: string
  port: number
}

/**
 * The PostgreSQL of a worker on this machine, to kill and restart. It reports its data folder,
 * where PostgreSQL stores its start options.
 */
export async function serverOf(
  coordinator: string,
  worker: CitusWorker,
): Promise<Pick<PostgresServer, 'kill'> & { restart(): Promise<void> }> {
  const [row] = await ask<{ folder: string }>(
    at(coordinator, worker),
    `select setting as folder from pg_settings where name = 'data_directory'`,
  )
  const folder = row?.folder ?? ''
  const { uid, gid } = statSync(folder)
  const options = readFileSync(join(folder, 'postmaster.opts'), 'utf8')
  const program = join(dirname(options.split(' ')[0] ?? ''), 'pg_ctl')
  return {
    kill() {
      const [pid = ''] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
      killFamily(Number(pid))
    },
    async restart() {
      const args = ['start', '-w', '-D', folder, '-l', `${folder}.log`]
      const asOwner = process.getuid?.() === 0 ? { uid, gid } : {}
      // Connections between workers would look for keys in the home folder of the user.
      const env = { ...process.env, HOME: folder }
      const { status } = spawnSync(program, args, { ...asOwner, env, cwd: folder, stdio: 'ignore' })
      if (status !== 0) throw new Error(`The worker did not start; see ${folder}.log`)
    },
  }
}

/** The rows of a query on one node. */
export async function ask<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

function at(base: string, { host, port, name }: { host?: string; port?: number; name?: string }) {
  const url = new URL(base)
  if (host !== undefined) url.hostname = host
  if (port !== undefined) url.port = String(port)
  if (name !== undefined) url.pathname = `/${name}`
  return url.href
}
