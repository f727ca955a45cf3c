import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@feed-receiver/database'
import type { Inbox, InboxHealth } from '@feed-receiver/inbox'
import { describeCount } from '../describe-count.ts'
import type { Probe } from './check-receiver.ts'
import { failed, ok, warning, type Finding } from './finding.ts'
import { judgeSkew } from './judge-skew.ts'

export interface InboxUnderCheck {
  inbox: Inbox
  database: Database
  /** What the receiver has just stored, if it was asked to. */
  probe: Probe | undefined
  signal: AbortSignal
}

/** Looks at an open inbox: clock, queue, what waits and what is dead, and whether a worker works. */
export async function* checkInbox({
  inbox,
  database,
  probe,
  signal,
}: InboxUnderCheck): AsyncGenerator<Finding> {
  yield ok('database', `It is there (${database.kind}), and its tables are up to date.`)
  yield await checkClock(database)
  const health = await inbox.health()
  yield judgeQueue(health)
  yield judgeLeft('dead entries', health.dead, 'feed-receiver inbox list --state dead')
  yield judgeLeft('quarantine', health.quarantined, 'feed-receiver inbox quarantine list')
  yield probe ? await checkWorker(inbox, probe, signal) : judgeBacklog(health)
}

async function checkClock(database: Database): Promise<Finding> {
  const sentMs = Date.now()
  const { rows } = await database.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  )
  return judgeSkew('database clock', rows[0]?.ms ?? 0, { sentMs, receivedMs: Date.now() })
}

function judgeQueue({ problems, error, backlog }: InboxHealth): Finding {
  if (!backlog) {
    const says = `Deliveries cannot be stored and queued (${error ?? 'unknown'}).`
    return failed('queue', says, 'See to the database and to the tables of the queue.')
  }
  const abandoned = problems.find(({ code }) => code === 'claims_abandoned')
  if (abandoned) return failed('queue', abandoned.message, 'See: feed-receiver inbox health')
  const { waiting, running } = backlog
  return ok('queue', `${describeCount(waiting)} waiting, ${describeCount(running)} running.`)
}

function judgeLeft(check: string, count: InboxHealth['dead'], command: string): Finding {
  if (!count || count.count === 0) return ok(check, 'There are none.')
  return warning(check, `There are ${describeCount(count)}.`, `See: ${command}`)
}

const longestWaitSeconds = 300

function judgeBacklog({ backlog }: InboxHealth): Finding {
  const seconds = Math.round(backlog?.oldestAgeSeconds ?? 0)
  if (seconds < longestWaitSeconds) return ok('worker', 'Nothing waits for long.')
  const says = `The oldest entry has waited for ${seconds} s.`
  return warning('worker', says, 'See that a worker runs: await inbox.work(handlers).')
}

const workerLimitMs = 10_000

/** A worker shows that it is alive by taking the test delivery, which reaches no handler. */
async function checkWorker(
  inbox: Inbox,
  { eventId, body }: Probe,
  signal: AbortSignal,
): Promise<Finding> {
  for (const startedAt = performance.now(); ;) {
    const entry = await inbox.entries.get(eventId)
    if (!entry) {
      const says = 'The test delivery is not in this database: the app stores in another one.'
      return failed('worker', says, 'Give this command the same DATABASE_URL, source and schema.')
    }
    const bytes = Buffer.from(entry.bodyBase64 ?? '', 'base64')
    if (!bytes.equals(body)) {
      const says = 'What is stored of the test delivery are other bytes than were sent.'
      return failed('worker', says, 'Mount the receiver before any body parser.')
    }
    if (entry.state !== 'received') return ok('worker', 'It took the test delivery.')
    if (signal.aborted || performance.now() - startedAt > workerLimitMs) break
    await delay(100)
  }
  const says = `It did not take the test delivery within ${workerLimitMs / 1000} s.`
  return failed('worker', says, 'Start one (await inbox.work(handlers)), or see why it is busy.')
}
