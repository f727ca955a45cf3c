/**
 * Two outages, each delivered twice, while Slack rejects the first message. All other jobs run
 * meanwhile, each once. Checks its own counts, and exits with code 1 if one is wrong.
 */
import { rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from '@feed-receiver/database'
import { RetryAfter, type Handlers } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { handlersOn, startWorkers } from './jobs.ts'
import { startApp } from './start-app.ts'

const url = process.env.DATABASE_URL
const folder = '.feed-receiver/fan-out'
if (url === undefined) await rm(folder, { recursive: true, force: true })
const database = openDatabase(url ?? { folder })
const secret = 'feed_whsec_of_the_fan_out_story'

const app = await startApp({
  database,
  secrets: [secret],
  port: 0,
  handlers: (boss) => failingOnce(handlersOn(boss, 2)),
})
const outages = [1, 2].map((number) => {
  const id = `evt_fan_out_${number}_${Date.now()}`
  return fixture('outage_started', { id, data: { title: `Outage ${number}` } })
})

await deliverAll()
await untilIdle(app.inbox)
const before = await countJobs()
console.log(`Both handlers failed after queueing their jobs: ${before} jobs are queued.`)
const countOpen = () => app.inbox.entries.count({ state: 'received' })
await until(countOpen, ({ count }) => count === 0)
await deliverAll()
const after = await countJobs()
console.log(`After a retry, both events are done: ${after} jobs are queued.`)

const slack: string[] = []
const mails: string[] = []
let refused = 0
await startWorkers(
  app.boss,
  database,
  {
    async postToSlack(text) {
      if (refused === 0) {
        refused += 1
        const { rows } = await until(readReports, (found) => found.rows.length === 2)
        console.log(`Slack rejects "${text}". Meanwhile, ${rows.length} reports were written.`)
        throw new Error('Slack answered 503.')
      }
      slack.push(text)
    },
    async mail(subject) {
      mails.push(subject)
    },
  },
  1,
)
await until(
  async () => slack,
  (texts) => texts.length === 4 && mails.length > 0,
)
const reports = (await readReports()).rows.length
for (const text of slack.toSorted()) console.log(`Slack received "${text}".`)
console.log(`${reports} reports were written, and 1 mail was sent: "${mails.join()}".`)

const isWhole =
  before === 0 &&
  after === 8 &&
  new Set(slack).size === 4 &&
  reports === 2 &&
  mails.join() === '2 outages'
console.log(isWhole ? 'Every job was done once.' : 'A count is wrong.')
process.exitCode = isWhole ? 0 : 1
await app.stop()

/** Wraps the handler so that its first run does all its work and then throws. */
function failingOnce({ outage_started: handler }: Handlers): Handlers {
  return {
    outage_started: async (event, context) => {
      await handler?.(event, context)
      if (context.attempt === 1) throw new RetryAfter(2, 'A simulated failure.')
    },
  }
}

async function deliverAll(): Promise<void> {
  await using sender = createSender({ secret })
  for (const outage of [...outages, ...outages]) {
    await sender.attempt(outage, { to: `http://127.0.0.1:${app.port}/webhooks/feed` })
  }
}

/** Counts only the jobs of this run, so that a database can be used again. */
async function countJobs(): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*) as count from app_jobs.job where data ->> 'eventId' = any($1::text[])`,
    [outages.map(({ id }) => id)],
  )
  return rows[0]?.count ?? 0
}

async function readReports() {
  const text = 'select title from report where event_id = any($1::text[])'
  return await database.query(text, [outages.map(({ id }) => id)])
}

async function until<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isSo(value)) return value
    await delay(20)
  }
}
