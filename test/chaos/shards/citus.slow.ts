import { createInbox } from '@feed-receiver/inbox'
import { citusDatabase, placeOnCitus } from '@feed-receiver/shards'
import { expect, it } from 'vitest'
import { ask, citusUrl, createOnCitus, serverOf, workersOf } from '../../support/citus.ts'
import { runSql } from '../../support/postgres.ts'
import type { NamedShard } from './open-shard.ts'
import { surviveKills } from './survive-kills.ts'

const deliveries = 20_000

if (citusUrl === undefined) {
  console.log('TEST_CITUS_URL is not set, so the test of shards on Citus is skipped.')
}

// It kills a worker of the cluster, which affects all other users of that worker.
it.skipIf(citusUrl === undefined)(
  `loses and duplicates none of ${deliveries} deliveries on Citus while a worker and a receiver are killed, and a shard is added`,
  async () => {
    const coordinator = citusUrl ?? ''
    const { url, drop } = await createOnCitus(coordinator)
    const shards = [on(url, 'one'), on(url, 'two'), on(url, 'three')] as const
    for (const shard of shards) {
      await using database = citusDatabase(shard.database)
      await using inbox = createInbox({ ...shard, database })
      await inbox.start()
      await placeOnCitus(inbox)
    }
    const [here, other] = await workersOf(coordinator)
    if (!here || !other) throw new Error('This test needs a cluster with two workers.')
    // The second one is alone on its worker.
    for (const [index, { host, port }] of [here, other, here].entries()) {
      const { schema = '' } = shards[index] ?? {}
      const [place] = await ask<{ port: number }>(
        url,
        `select nodeport as port from citus_shards where table_name = '${schema}.entry'::regclass`,
      )
      if (place?.port !== port) {
        await ask(url, `select citus_schema_move('${schema}', '${host}', ${port})`)
      }
      await runSql(url, `create table ${schema}.handled (event_id text not null)`)
    }
    const killed = await serverOf(coordinator, other)
    expect(await surviveKills({ deliveries, shards, killed })).toEqual({ lost: [], doubled: [] })
    await drop()
  },
  600_000,
)

/** A schema on the cluster in which a connection also finds the tables of the handlers. */
function on(url: string, schema: string): NamedShard & { schema: string } {
  const database = new URL(url)
  database.searchParams.set('options', `-c search_path=${schema}`)
  return { database: database.href, schema, isOnCitus: true }
}
