import type { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import { insertEvent, openEventTable, readEvent } from './event-table.ts'
import {
  eagerWork,
  poolSettings,
  queueName,
  report,
  retries,
  supervision,
  type KeptEvent,
  type Query,
  type Contender,
  type ContenderSettings,
} from './contender.ts'

/**
 * pg-boss as its documentation has it: event and job in one transaction, and a transactional worker
 * that commits the effect with the end of its job.
 */
export async function openPgBoss(settings: ContenderSettings): Promise<Contender> {
  const { databaseUrl, name, notifies = false, onFirstWrite } = settings
  const pool = await openEventTable(settings)
  const boss = new PgBoss({
    ...poolSettings,
    ...supervision,
    connectionString: databaseUrl,
    application_name: name,
    schedule: false,
    useListenNotify: notifies,
  })
  boss.on('error', report)
  await boss.start()
  await boss.createQueue(queueName, { ...retries, notify: notifies })

  return {
    keep: (event, body) => keepInTransaction(pool, boss, { event, body, onFirstWrite }),
    async work(handle) {
      const options = {
        ...eagerWork,
        transactional: true,
        ...(notifies && { notifyPollingIntervalSeconds: 0.5 }),
      } as const
      await boss.work<{ id: string }, unknown, typeof options>(
        queueName,
        options,
        async (jobs, tx) => {
          const query: Query = (text, values) => tx.executeSql(text, values)
          for (const { data } of jobs) await handle(await readEvent(query, data.id), query)
        },
      )
    },
    async stop() {
      await boss.stop()
      await pool.end()
    },
  }
}

interface Kept extends Pick<ContenderSettings, 'onFirstWrite'> {
  event: KeptEvent
  body: Buffer
}

async function keepInTransaction(
  pool: Pool,
  boss: PgBoss,
  { event, body, onFirstWrite }: Kept,
): Promise<void> {
  const client = await pool.connect()
  client.on('error', report)
  let failure: unknown
  try {
    await client.query('begin')
    const db = {
      executeSql: (text: string, values: unknown[] = []) => client.query(text, values),
    }
    if (await insertEvent(client, event, body)) {
      onFirstWrite?.()
      await boss.send(queueName, { id: event.id }, { db })
    }
    await client.query('commit')
  } catch (error) {
    failure = error
    throw error
  } finally {
    client.off('error', report)
    // A failed connection is closed, which also rolls back.
    client.release(failure !== undefined)
  }
}
