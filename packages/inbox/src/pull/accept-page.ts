import type { FeedEvent } from '@feed-receiver/core'
import type { Database, Tx } from '@feed-receiver/database'
import { insertPulled } from './insert-pulled.ts'
import { insertQuarantine } from '../accept/insert-quarantine.ts'
import { isItemsFault } from '../accept/items-fault.ts'
import { pulledRows, type PulledRow } from './pulled-row.ts'
import type { Queue } from '../queue/queue.ts'
import { reviseEntries } from './revise-entries.ts'
import { holdStream, saveStream, type StreamProgress } from './save-stream.ts'
import type { Tables } from '../entry/tables.ts'

export interface AcceptPageOptions extends StreamProgress {
  /** Whether your delivery rules push an event; what they should have pushed and did not is a gap. */
  expects?: ((event: FeedEvent) => boolean) | undefined
  /** What stood on the page and is no event; it goes into quarantine. */
  unreadable?: readonly { value: unknown; detail: string }[] | undefined
}

/** What became of a page. */
export interface PageAcceptance {
  /** Events that were not known. */
  stored: number
  /** Known events whose content has changed. */
  revised: number
}

export interface AcceptPagePlace {
  tables: Tables
  source: string
  queue: Queue
}

/**
 * Stores a page of pulled events, oldest first, and the cursor behind it in one transaction. Where an
 * event cannot be stored whatever is done, it goes into quarantine, and the page goes on without it.
 */
export async function acceptPage(
  database: Database,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
  place: AcceptPagePlace,
): Promise<PageAcceptance> {
  try {
    return await database.tx((tx) => storePage(tx, pulledRows(events), options, place))
  } catch (error) {
    if (!isOneEventsFault(error) || events.length === 0) throw error
    return await acceptOneByOne(database, events, options, place)
  }
}

async function storePage(
  tx: Tx,
  rows: readonly PulledRow[],
  options: AcceptPageOptions,
  { tables, source, queue }: AcceptPagePlace,
  startStream = saveStream,
): Promise<PageAcceptance> {
  const { expects, unreadable = [], at = new Date() } = options
  const startedAt = await startStream(tx, tables, source, { ...options, at })
  // What is older than the stream was pushed to whoever was there before, or to nobody.
  const isPushExpected = ({ event }: PulledRow) =>
    new Date(event.created_at) < startedAt ? false : (expects?.(event) ?? null)
  const table = tables.entry
  const page = { rows, at, isPushExpected }
  const stored = await insertPulled(tx, page, { table, source, queue })
  const isNew = new Set(stored.map(({ eventId }) => eventId))
  const others = rows.filter(({ event }) => !isNew.has(event.id))
  const revised = await reviseEntries(tx, others, { tables, source, queue, at })
  for (const { value, detail } of unreadable) {
    await setAside(tx, { value, detail, at }, { tables, source })
  }
  return { stored: stored.length, revised }
}

/** The stream is saved last, so that whatever fails on the way is read again. */
async function acceptOneByOne(
  database: Database,
  events: readonly FeedEvent[],
  options: AcceptPageOptions,
  place: AcceptPagePlace,
): Promise<PageAcceptance> {
  const { at = new Date(), unreadable = [] } = options
  const page: PageAcceptance = { stored: 0, revised: 0 }
  const refused: { value: unknown; detail: string }[] = []
  for (const event of events) {
    try {
      const one = { ...options, at, unreadable: [] }
      const rows = pulledRows([event])
      const result = await database.tx((tx) => storePage(tx, rows, one, place, holdStream))
      page.stored += result.stored
      page.revised += result.revised
    } catch (error) {
      if (!isOneEventsFault(error)) throw error
      refused.push({ value: event, detail: 'The database does not take it.' })
    }
  }
  const rest = { ...options, at, unreadable: [...unreadable, ...refused] }
  await database.tx((tx) => storePage(tx, [], rest, place))
  return page
}

/** Nobody signed it: the columns that name who did say how it came. */
async function setAside(
  tx: Tx,
  { value, detail, at }: { value: unknown; detail: string; at: Date },
  { tables, source }: Pick<AcceptPagePlace, 'tables' | 'source'>,
): Promise<void> {
  const body = Buffer.from(writeBody(value))
  await insertQuarantine(tx, tables.quarantine, source, {
    delivery: {
      body,
      signedBy: '(pull)',
      signedAt: at,
      headers: {},
      receivedAt: at,
    },
    reason: 'not_an_event',
    eventId: null,
    detail,
  })
}

// Nested so deep that it cannot be written as JSON, an event is as much at fault itself.
function isOneEventsFault(error: unknown): boolean {
  return isItemsFault(error) || error instanceof RangeError
}

function writeBody(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return String(typeof value === 'object' && value !== null && 'id' in value ? value.id : value)
  }
}
