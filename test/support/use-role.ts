import { randomBytes } from 'node:crypto'
import type { Database } from '@feed-receiver/database'
import { afterAll, beforeAll, inject } from 'vitest'
import { runSql } from './postgres.ts'

/** A role with all rights in the schema of the inbox, from which tests may revoke some. */
export function useRole(database: () => Database) {
  const name = `app_${randomBytes(4).toString('hex')}`
  let url = ''
  beforeAll(async () => {
    const { rows } = await database().query<{ name: string }>('select current_database() as name')
    const own = new URL(inject('postgresUrl'))
    own.pathname = `/${rows[0]?.name}`
    await runSql(
      own.href,
      `create role ${name} login password 'test';
      grant usage on schema feed_inbox to ${name};
      grant all on all tables in schema feed_inbox to ${name}`,
    )
    own.username = name
    own.password = 'test'
    url = own.href
  })
  afterAll(async () => {
    await database().query(`drop owned by ${name}`)
    await database().query(`drop role ${name}`)
  })
  return {
    name,
    url: () => url,
    /** As after a failover to a standby: existing sessions end, and new ones may only read. */
    async setReadOnly(mode: 'on' | 'off'): Promise<void> {
      await database().query(`alter role ${name} set default_transaction_read_only to ${mode}`)
      await database().query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`,
      )
    },
  }
}
