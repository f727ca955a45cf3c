import type { Handler } from '@feed-receiver/inbox'
import type { Tx } from '@feed-receiver/database'
import { armDeath, dieAt, isArmed } from './die-at.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startInbox } from './start-inbox.ts'

export type WorkerOrder =
  | { die: 'in-handler' | 'after-effect' | 'claimed-ahead' }
  | { linger: boolean }

/** More jobs than two workers begin at once, and may wait to commit. */
const manyJobs = 2 * 2 * 4 + 1

export type WriteEffect = (tx: Tx, eventId: string) => Promise<unknown>

/** Runs a worker that writes one row for each event, and dies, slows down and stops on command. */
export async function runWorker(writeEffect: WriteEffect = insertEffect): Promise<void> {
  const settings = readSettings<MemberSettings>()
  let shouldLinger = false
  let stopLingering: (() => void) | undefined

  const handler: Handler = async (event, { tx, attempt, reprocess }) => {
    if (attempt > 1) console.log(`attempt ${attempt} of ${event.id}`)
    dieAt('in-handler')
    if (isArmed('claimed-ahead')) await dieIfClaimedAhead(tx)
    await (reprocess ? noteReprocess : writeEffect)(tx, event.id)
    dieAt('after-effect')
    if (shouldLinger) await linger(event.id)
  }
  const { inbox, database } = await startInbox(settings, (started) =>
    started.work({ '*': handler }),
  )

  takeOrders<WorkerOrder>((order) => {
    if ('die' in order) return armDeath(order.die)
    shouldLinger = order.linger
    if (!shouldLinger) stopLingering?.()
  })
  onTermination(async () => {
    await inbox.stop()
    await database.close()
  })
  reportReady()

  async function linger(eventId: string): Promise<void> {
    shouldLinger = false
    console.log(`lingering over ${eventId}`)
    await new Promise<void>((resolve) => (stopLingering = resolve))
    console.log(`lingered over ${eventId}`)
  }
}

async function dieIfClaimedAhead(tx: Tx): Promise<void> {
  const { rows } = await tx.query(
    `select from feed_inbox.job where state = 'active' limit ${manyJobs}`,
  )
  if (rows.length === manyJobs) dieAt('claimed-ahead')
}

function noteReprocess(tx: Tx, eventId: string): Promise<unknown> {
  return tx.query('insert into reprocessed (event_id) values ($1)', [eventId])
}

function insertEffect(tx: Tx, eventId: string): Promise<unknown> {
  return tx.query('insert into effect (event_id) values ($1)', [eventId])
}
