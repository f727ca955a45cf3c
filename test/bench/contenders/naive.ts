import { PgBoss } from 'pg-boss'
import { insertEvent, openEventTable, readEvent } from './event-table.ts'
import {
  eagerWork,
  poolSettings,
  queueName,
  report,
  retries,
  supervision,
  type Query,
  type Contender,
  type ContenderSettings,
} from './contender.ts'

/** Inserts the event, and then sends a job for it: two writes, without a transaction. */
export async function openNaive(settings: ContenderSettings): Promise<Contender> {
  const { databaseUrl, name, onFirstWrite } = settings
  const pool = await openEventTable(settings)
  const boss = new PgBoss({
    ...poolSettings,
    ...supervision,
    connectionString: databaseUrl,
    application_name: name,
    schedule: false,
  })
  boss.on('error', report)
  await boss.start()
  await boss.createQueue(queueName, retries)

  return {
    async keep(event, body) {
      if (!(await insertEvent(pool, event, body))) return
      onFirstWrite?.()
      await boss.send(queueName, { id: event.id })
    },
    async work(handle) {
      await boss.work<{ id: string }>(queueName, eagerWork, async (jobs) => {
        const query: Query = (text, values) => pool.query(text, values)
        for (const { data } of jobs) await handle(await readEvent(query, data.id), query)
      })
    },
    async stop() {
      await boss.stop()
      await pool.end()
    },
  }
}
