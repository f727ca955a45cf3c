// Writes its effect outside the transaction that ends the job. The checker must detect this.
import { openDatabase } from '@feed-receiver/database'
import { runWorker } from './run-worker.ts'
import { readSettings, type MemberSettings } from './settings.ts'

const { databaseUrl } = readSettings<MemberSettings>()
const past = openDatabase(databaseUrl, { maxConnections: 2 })

await runWorker(async (tx, eventId) => {
  await tx.query('select 1')
  // In a separate task, because the database rejects other calls inside an open transaction.
  await new Promise((resolve, reject) => {
    past.query('insert into effect (event_id) values ($1)', [eventId]).then(resolve, reject)
  })
})
