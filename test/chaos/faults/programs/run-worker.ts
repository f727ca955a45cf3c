import type { Handler } from '@feed-receiver/inbox'
import type { Tx } from '@feed-receiver/database'
import { armDeath, dieAt, isArmed } from './die-at.ts'
import { createDisturbance, isShared } from './disturb.ts'
import { onTermination, reportReady, takeOrders } from './orders.ts'
import { readSettings, type MemberSettings } from './settings.ts'
import { startInbox, type ClaimedJobs } from './start-inbox.ts'

export type WorkerOrder =
  | { die: 'in-handler' | 'after-effect' | 'claimed-ahead' | 'sharing' }
  | { linger: boolean }
  | { disturbFrom: number | null }

/** Of the handlers that share a transaction, one in so many disturbs it. */
const disturbsOneIn = 3
/** On a busy machine, handlers are not as short as by default. */
const shareTransactionMs = 200
/** As many handlers begin after a claim. */
const concurrency = 4

export type WriteEffect = (tx: Tx, eventId: string) => Promise<unknown>

/** Runs a worker that writes one row for each event, and dies, slows down and stops on command. */
export async function runWorker(writeEffect: WriteEffect = insertEffect): Promise<void> {
  const settings = readSettings<MemberSettings>()
  // Those whose handlers have not begun. Not a count: another worker may take over what was begun.
  const ahead: ClaimedJobs = new Map()
  let shouldLinger = false
  let stopLingering: (() => void) | undefined
  let disturb: ((tx: Tx) => Promise<void>) | undefined
  let shared = 0

  const handler: Handler = async (event, { tx, attempt, reprocess }) => {
    for (const [job, eventId] of ahead) if (eventId === event.id) ahead.delete(job)
    if (attempt > 1) console.log(`attempt ${attempt} of ${event.id}`)
    dieAt('in-handler')
    if (ahead.size >= concurrency) dieAt('claimed-ahead')
    if (disturb && (await isShared(tx)) && (shared += 1) % disturbsOneIn === 0) {
      await disturb(tx)
    }
    await (reprocess ? noteReprocess : writeEffect)(tx, event.id)
    dieAt('after-effect')
    if (isArmed('sharing') && (await countEffects(tx)) > 1) dieAt('sharing')
    if (shouldLinger) await linger(event.id)
  }
  const { inbox, database } = await startInbox(settings, {
    use: (started) => started.work({ '*': handler }, { concurrency, shareTransactionMs }),
    claimed: ahead,
  })

  takeOrders<WorkerOrder>((order) => {
    if ('die' in order) return armDeath(order.die)
    if ('disturbFrom' in order) {
      disturb = order.disturbFrom === null ? undefined : createDisturbance(order.disturbFrom)
      return
    }
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

function noteReprocess(tx: Tx, eventId: string): Promise<unknown> {
  return tx.query('insert into reprocessed (event_id) values ($1)', [eventId])
}

/** Those that this transaction has written. */
async function countEffects(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::integer as count from effect where xmin = pg_current_xact_id()::xid',
  )
  return rows[0]?.count ?? 0
}

function insertEffect(tx: Tx, eventId: string): Promise<unknown> {
  return tx.query('insert into effect (event_id) values ($1)', [eventId])
}
