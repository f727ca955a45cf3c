import { isError } from '@feed-receiver/core/internal'
import type { FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { insertQuarantine } from '../accept/quarantine.ts'
import { codeOf } from '../errors.ts'
import { isDataFault } from '../sql-states.ts'
import { pulledRows, pullColumns, rowTypes, writeRows, type PulledRow } from './pulled-row.ts'
import { instruments } from '../telemetry/instruments.ts'
import type { InboxContext } from '../context.ts'
import { dryRun } from '../dry-run.ts'
import { tryStore } from '../accept/try-store.ts'
import { reviseEntries } from './revise-entries.ts'
import { saveStream, type StreamProgress } from './streams.ts'
import { storeSql, type NewEntry } from '../accept/store-entries.ts'
import { recordsSql } from '../entry/columns.ts'

export interface AcceptPageOptions extends StreamProgress {
  /** Whether your delivery rules push an event. An expected event that push missed is a gap. */
  expects?: ((event: FeedEvent) => boolean) | undefined
  /** Items of the page that are no events. They go into quarantine. */
  unreadable?: readonly { value: unknown; detail: string }[] | undefined
}

/** The result of storing a page. */
export interface PageAcceptance {
  /** New events. */
  stored: number
  /** Known events whose content has changed. */
  revised: number
  /** Unreadable items, and events that the database rejects. */
  quarantined: number
}

/**
 * Stores a page of pulled events, oldest first, and the next cursor in one transaction. An event
 * that can never be stored goes into quarantine, and the page continues without it.
 */
export async function acceptPage(
  context: InboxContext,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
): Promise<PageAcceptance> {
  const page = await storeEvents(context, events, options)
  const labels = { 'feed.source': context.source }
  instruments().pulled.add(page.stored, { ...labels, 'feed.outcome': 'stored' })
  instruments().pulled.add(page.revised, { ...labels, 'feed.outcome': 'revised' })
  return page
}

async function storeEvents(
  context: InboxContext,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
): Promise<PageAcceptance> {
  try {
    return await context.database.tx((tx) => storePage(tx, context, events, options))
  } catch (error) {
    if (!isOneEventsFault(error) || events.length === 0) throw error
  }
  const rejected = await findRejected(context, events, options)
  const others = events.filter((event) => !rejected.has(event))
  const detail = 'The database rejects it.'
  const unreadable = [...(options.unreadable ?? [])]
  unreadable.push(...[...rejected].map((value) => ({ value, detail })))
  return await context.database.tx((tx) =>
    storePage(tx, context, others, { ...options, unreadable }),
  )
}

async function storePage(
  tx: Tx,
  context: InboxContext,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
): Promise<PageAcceptance> {
  const { expects, unreadable = [], at = new Date() } = options
  const startedAt = await saveStream(tx, context, { ...options, at })
  // Events older than the stream were pushed to an earlier receiver, or to none.
  const isPushExpected = ({ event }: PulledRow) =>
    new Date(event.created_at) < startedAt ? false : (expects?.(event) ?? null)
  const rows = pulledRows(events)
  const stored = await insertPulled(tx, context, rows, at, isPushExpected)
  const isNew = new Set(stored.map(({ eventId }) => eventId))
  const others = rows.filter(({ event }) => !isNew.has(event.id))
  const revised = await reviseEntries(tx, context, others, at)
  for (const { value, detail } of unreadable)
    await quarantineItem(tx, context, { value, detail, at })
  return { stored: stored.length, revised, quarantined: unreadable.length }
}

/** Finds the events that cannot be stored. Tries each alone, and rolls it back. */
async function findRejected(
  context: InboxContext,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
): Promise<Set<FeedEvent>> {
  const rejected = new Set<FeedEvent>()
  let constraint: unknown
  const alone = { ...options, unreadable: [] }
  for (const event of events) {
    await dryRun(context.database, (tx) => storePage(tx, context, [event], alone)).catch(
      (error: unknown) => {
        if (!isOneEventsFault(error)) throw error
        rejected.add(event)
        constraint ??= isOfConstraint(error) ? error : undefined
      },
    )
  }
  // Then every event would be rejected, and the cursor would move past them.
  if (constraint !== undefined && (await tryStore(context))) throw constraint
  return rejected
}

/** Signs in quarantine for pulled items, which have no signature. */
export const pullSigner = '(pull)'

async function quarantineItem(
  tx: Tx,
  context: InboxContext,
  { value, detail, at }: { value: unknown; detail: string; at: Date },
): Promise<void> {
  const body = Buffer.from(writeBody(value))
  const unsigned = { body, signedBy: pullSigner, signedAt: at, headers: {}, receivedAt: at }
  await insertQuarantine(tx, context, { ...unsigned, eventId: null, detail }, 'not_an_event')
}

// An event that is nested too deeply for JSON is itself at fault.
function isOneEventsFault(error: unknown): boolean {
  return isDataFault(error) || (isError(error) && error.name === 'RangeError')
}

/** The tables' own constraints allow every event, so a sequence is behind or a table was changed. */
function isOfConstraint(error: unknown): boolean {
  return codeOf(error)?.startsWith('23') ?? false
}

function writeBody(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return String(typeof value === 'object' && value !== null && 'id' in value ? value.id : value)
  }
}

/** Stores new events, with their jobs, in the order of the rows. */
export async function insertPulled(
  tx: Tx,
  context: InboxContext,
  rows: readonly PulledRow[],
  at: Date,
  isPushExpected: (row: PulledRow) => boolean | null = () => null,
): Promise<NewEntry[]> {
  if (rows.length === 0) return []
  const types = { ...rowTypes, position: 'integer' }
  const text = storeSql(context, {
    rows: recordsSql('$2', 'pulled', types),
    taken: pullColumns,
    computed: {
      // Adds a microsecond per row, which keeps the order of the feed for lists and for an ordered
      // queue.
      received_at: `$3::timestamptz + position * interval '1 microsecond'`,
      via: `'pull'`,
      change: `case when retracted_at is null then 'new' else 'retraction' end`,
      pulled_at: '$3',
      push_expected: '($4::boolean[])[position]',
    },
    content: { pull: 'pull' },
  })
  const pulled = writeRows(rows, (_, index) => ({ position: index + 1 }))
  const values = [context.source, pulled, at, rows.map(isPushExpected)]
  return (await tx.query<NewEntry>(text, values)).rows
}
