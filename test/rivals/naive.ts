import { PgBoss } from 'pg-boss'
import { insertEvent, openEventTable } from './event-table.ts'
import {
  eagerWork,
  poolSettings,
  queueName,
  report,
  retries,
  type Rival,
  type RivalSettings,
} from './rival.ts'

/** Inserts the event, and then sends a job for it: two writes, without a transaction. */
export async function openNaive(settings: RivalSettings): Promise<Rival> {
  const { databaseUrl, name } = settings
  const pool = await openEventTable(settings)
  const boss = new PgBoss({
    ...poolSettings,
    connectionString: databaseUrl,
    application_name: name,
    schedule: false,
  })
  boss.on('error', report)
  await boss.start()
  await boss.createQueue(queueName, retries)

  return {
    async keep(event, body) {
      if (await insertEvent(pool, event, body)) await boss.send(queueName, { id: event.id })
    },
    async work(handle) {
      await boss.work<{ id: string }>(queueName, eagerWork, async (jobs) => {
        for (const { data } of jobs) {
          await handle(data.id, (text, values) => pool.query(text, values))
        }
      })
    },
    async stop() {
      await boss.stop()
      await pool.end()
    },
  }
}
