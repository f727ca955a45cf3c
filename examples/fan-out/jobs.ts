import type { Database } from '@feed-receiver/database'
import type { Handlers } from '@feed-receiver/inbox'
// #region queues
import { PgBoss, type Job } from 'pg-boss'

/** Opens the app's own queues, in the inbox's database and in their own schema. */
export async function openJobs(database: Database): Promise<PgBoss> {
  const boss = new PgBoss({ ...database.bossOptions(), schema: 'app_jobs' })
  boss.on('error', console.error)
  await boss.start()
  // Each queue has its own retries.
  await boss.createQueue('slack', { retryLimit: 10, retryDelay: 1, retryBackoff: true })
  await boss.createQueue('report', { retryLimit: 3, retryDelay: 30 })
  await boss.createQueue('reminder', { retryLimit: 3, retryDelay: 30 })
  await boss.createQueue('digest', { retryLimit: 3, retryDelay: 300 })
  return boss
}
// #endregion

// #region handler
export function handlersOn(boss: PgBoss, remindAfterSeconds = 3_600): Handlers {
  return {
    outage_started: async ({ id: eventId, data: { title } }, { tx }) => {
      const outage: Outage = { eventId, title }
      await boss.send('slack', outage, { db: tx })
      await boss.send('report', outage, { db: tx })
      await boss.send('reminder', outage, { db: tx, startAfter: remindAfterSeconds })
      await boss.send('digest', outage, { db: tx })
    },
  }
}
// #endregion

export interface Outage {
  eventId: string
  title: string
}

export interface Channels {
  postToSlack(text: string): Promise<void>
  mail(subject: string, text: string): Promise<void>
}

/** Runs the jobs. A job runs at least once, so its effect must be safe to repeat. */
// #region workers
export async function startWorkers(
  boss: PgBoss,
  database: Database,
  { postToSlack, mail }: Channels,
  digestSeconds = 60,
): Promise<void> {
  const everyHalfSecond = { pollingIntervalSeconds: 0.5 }
  await boss.work('slack', everyHalfSecond, async ([job]: Job<Outage>[]) => {
    if (job) await postToSlack(`Outage: ${escapeForSlack(job.data.title)}`)
  })
  await boss.work('report', everyHalfSecond, async ([job]: Job<Outage>[]) => {
    if (!job) return
    const text = 'insert into report (event_id, title) values ($1, $2) on conflict do nothing'
    await database.query(text, [job.data.eventId, job.data.title])
  })
  await boss.work('reminder', everyHalfSecond, async ([job]: Job<Outage>[]) => {
    if (job) await postToSlack(`Is it over? ${escapeForSlack(job.data.title)}`)
  })
  // One mail about all outages since the last one.
  const batched = { pollingIntervalSeconds: digestSeconds, batchSize: 100 }
  await boss.work('digest', batched, async (jobs: Job<Outage>[]) => {
    await mail(`${jobs.length} outages`, jobs.map(({ data }) => data.title).join('\n'))
  })
}

/** Third parties write titles, and Slack would read `<!channel>` in one as a mention. */
function escapeForSlack(title: string): string {
  return title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
// #endregion
