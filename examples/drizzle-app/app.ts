import { createReceiver, secretsFromEnv } from '@feed-receiver/core'
import { toExpress } from '@feed-receiver/express'
import express from 'express'
// #region inbox
import { createInbox, drizzleTransaction } from '@feed-receiver/inbox'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text } from 'drizzle-orm/pg-core'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.DATABASE_URL })
const db = drizzle(pool)
const page = pgTable('page', { eventId: text('event_id').notNull(), title: text().notNull() })

const inbox = createInbox({ database: pool, transaction: drizzleTransaction(db, sql) })
await inbox.start()
await inbox.work({
  outage_started: async ({ id, data }, { tx }) => {
    await tx.insert(page).values({ eventId: id, title: data.title })
  },
})
// #endregion

await db.execute(sql`create table if not exists page (event_id text not null, title text not null)`)
const receiver = createReceiver({ secrets: secretsFromEnv(process.env), inbox })
const app = express()
app.post('/webhooks/feed', toExpress(receiver))
app.get('/pages', async (_, response) => {
  response.json(await db.select().from(page))
})
const server = app.listen(process.env.PORT ?? 3000)

process.once('SIGTERM', () => void stop())

async function stop() {
  await receiver.stop()
  server.close()
  await inbox.stop()
  await pool.end()
}
