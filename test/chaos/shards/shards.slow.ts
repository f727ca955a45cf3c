import { expect, it, onTestFinished } from 'vitest'
import { runSql, startPostgres, type PostgresServer } from '../../support/postgres.ts'
import { surviveKills } from './survive-kills.ts'

const deliveries = 20_000

it(`loses and duplicates none of ${deliveries} deliveries while a server and a receiver are killed, and a shard is added`, async () => {
  const [one, two] = [await server(), await server()]
  await runSql(one.url, 'create database third')
  const third = new URL(one.url)
  third.pathname = '/third'
  const shards = [{ database: one.url }, { database: two.url }, { database: third.href }] as const
  for (const { database } of shards) {
    await runSql(database, 'create table handled (event_id text not null)')
  }
  expect(await surviveKills({ deliveries, shards, killed: two })).toEqual({ lost: [], doubled: [] })
}, 600_000)

async function server(): Promise<PostgresServer> {
  const started = await startPostgres({ isDurable: true })
  onTestFinished(() => started.stop())
  return started
}
