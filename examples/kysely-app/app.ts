import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import express from 'express'
// #region inbox
import { createInbox, kyselyTransaction } from '@feed-receiver/inbox'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.DATABASE_URL })
const db = new Kysely<{ page: { event_id: string; title: string } }>({
  dialect: new PostgresDialect({ pool }),
})

const inbox = createInbox({ database: pool, transaction: kyselyTransaction(db) })
await inbox.start()
await inbox.work({
  outage_started: async ({ id, data }, { tx }) => {
    await tx.insertInto('page').values({ event_id: id, title: data.title }).execute()
  },
})
// #endregion

await sql`create table if not exists page (event_id text not null, title text not null)`.execute(db)
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
app.get('/pages', async (_, response) => {
  response.json(await db.selectFrom('page').selectAll().execute())
})
const server = app.listen(process.env.PORT ?? 3000)

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
  await pool.end()
}
