// Writes its effect past the transaction that ends the job: what the checker must catch.
import { openDatabase } from '@feed-receiver/database'
import { runWorker } from './run-worker.ts'
import { readSettings, type MemberSettings } from './settings.ts'

const { databaseUrl } = readSettings<MemberSettings>()
const past = openDatabase(databaseUrl, { maxConnections: 2 })

await runWorker(async (tx, eventId) => {
  await tx.query('select 1')
  // In a task of its own, since the database refuses to be used beside an open transaction.
  await new Promise((resolve, reject) => {
    past.query('insert into effect (event_id) values ($1)', [eventId]).then(resolve, reject)
  })
})
