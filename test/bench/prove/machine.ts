import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { repository } from '../../support/built-program.ts'
import { describeRevision } from '../../support/describe-revision.ts'
import { startPostgres } from '../../support/postgres.ts'

const programs: Record<string, string[]> = {
  Redis: ['redis-server', '--version'],
  HAProxy: ['haproxy', '-v'],
  PgBouncer: ['pgbouncer', '--version'],
}
const packages = ['express', 'pg', 'pg-boss', 'bullmq', 'ioredis', '@octokit/webhooks', 'svix']

/** What a report was measured on, by name. */
export async function describeMachine(): Promise<Record<string, string>> {
  const [cpu] = cpus()
  const postgres = await startPostgres()
  await postgres.stop()
  return {
    Revision: describeRevision(),
    Machine: `${cpus().length} × ${cpu?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    System: `${process.platform} ${release()}`,
    Node: process.versions.node,
    PostgreSQL: postgres.version,
    ...Object.fromEntries(
      Object.entries(programs).map(([name, command]) => [name, versionOf(command)]),
    ),
    ...Object.fromEntries(packages.map((name) => [name, packageVersion(name)])),
  }
}

function versionOf([command = '', ...args]: string[]): string {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 ? (/\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? 'unknown') : 'not installed'
}

function packageVersion(name: string): string {
  const path = join(repository, 'node_modules', name, 'package.json')
  return JSON.parse(readFileSync(path, 'utf8')).version
}
