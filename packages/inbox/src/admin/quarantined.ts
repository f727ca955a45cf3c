import { noteEvent, parseEvent } from '@feed-receiver/core/internal'
import type { Delivery, FeedEvent, Quarantined } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { createAcceptGroup, type Acceptance } from '../accept/accept.ts'
import { cleanText } from '../clean-text.ts'
import { toTime } from '../entry/entry-filter.ts'
import { base64Sql, isoTime } from '../entry/sql.ts'
import { insertPulled, pullSigner } from '../pull/accept-page.ts'
import { pulledRows } from '../pull/pulled-row.ts'
import { readPage, type PageOf, type PageOptions } from './page.ts'
import { checkOption, InboxError } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { recordOperation, type OperatorOptions } from './operations.ts'
import { hasFilter } from './requeue-entries.ts'

export const quarantineStates = ['open', 'released', 'discarded'] as const
export type QuarantineState = (typeof quarantineStates)[number]

export interface ListQuarantinedOptions extends PageOptions {
  /**
   * Only deliveries in this state. Any other text selects none.
   * @default all states
   */
  state?: QuarantineState | undefined
  /**
   * Only deliveries with this reason. Any other text selects none.
   * @default all reasons
   */
  reason?: Quarantined | undefined
}

/** A delivery in quarantine as a list shows it. Times are ISO 8601 in UTC. */
export interface QuarantinedRow {
  id: number
  reason: Quarantined
  state: QuarantineState
  /** The id in the body, if it has a usable one. */
  eventId: string | null
  /** Why it could not be read. Never quotes the body. */
  detail: string | null
  /** How often the same bytes arrived for the same reason. */
  seenCount: number
  firstSeenAt: string
  lastSeenAt: string
  /** When it was released or discarded, and by whom if given. */
  resolvedAt: string | null
  resolvedBy: string | null
}

export interface QuarantinedPage extends PageOf<'quarantined', QuarantinedRow> {}

/** The details of one delivery in quarantine. */
export interface QuarantinedDetails extends QuarantinedRow {
  /** Why the current parser cannot read it, without quoting the body; null if it can. */
  unreadable: string | null
  /** The exact bytes that were signed, in Base64. */
  bodyBase64: string
  sha256: string
  headers: Record<string, string>
  /** Fingerprint of the secret that signed it. */
  signedBy: string
  signedAt: string
}

const rowColumns = `
  id, reason, state, event_id as "eventId", detail, seen_count as "seenCount",
  ${isoTime('first_seen_at')} as "firstSeenAt", ${isoTime('last_seen_at')} as "lastSeenAt",
  ${isoTime('resolved_at')} as "resolvedAt", resolved_by as "resolvedBy"`

export async function listQuarantined(
  { database, tables, source }: InboxContext,
  options: ListQuarantinedOptions = {},
): Promise<QuarantinedPage> {
  const { state, reason, after = null, limit = 50 } = options
  const { rows: quarantined, next } = await readPage<QuarantinedRow>(
    database,
    limit,
    `select ${rowColumns}
     from ${tables.quarantine}
     where source = $1
       and ($2::text is null or state = $2)
       and ($3::text is null or reason = $3)
       and ($4::bigint is null or id < $4)
     order by id desc`,
    [source, state, reason, after],
  )
  return { quarantined, next }
}

export async function getQuarantined(
  { database, tables, source }: InboxContext,
  id: number,
): Promise<QuarantinedDetails | null> {
  const { rows } = await database.query<Omit<QuarantinedDetails, 'unreadable'>>(
    `select ${rowColumns}, ${base64Sql('body')} as "bodyBase64", sha256, headers,
       signed_by as "signedBy", ${isoTime('signed_at')} as "signedAt"
     from ${tables.quarantine}
     where source = $1 and id = $2`,
    [source, id],
  )
  const [row] = rows
  if (!row) return null
  const parsed = parseEvent(Buffer.from(row.bodyBase64, 'base64'))
  return { ...row, unreadable: 'event' in parsed ? null : parsed.detail }
}

/** The deliveries to discard: one row, or all open ones that match a filter. */
export type DiscardTarget = number | { filter: DiscardFilter }

export interface DiscardFilter {
  /**
   * Only deliveries with this reason.
   * @default all reasons
   */
  reason?: Quarantined | undefined
  /**
   * Only deliveries that were last seen before this time: a `Date`, or ISO 8601.
   * @default any time
   */
  until?: Date | string | undefined
}

export interface DiscardOptions extends OperatorOptions {
  /**
   * Only counts the deliveries.
   * @default false
   */
  dryRun?: boolean
}

/** Discards deliveries in one transaction, and returns their number. */
export async function discardQuarantined(
  context: InboxContext,
  target: DiscardTarget,
  { by, dryRun = false }: DiscardOptions = {},
): Promise<number> {
  if (typeof target === 'object') {
    checkOption(hasFilter(target), 'target: use the id of a row or { filter: {...} }.')
    return await discardMatching(context, target, { by, dryRun })
  }
  return await context.database.tx(async (tx) => {
    await takeQuarantined(tx, context, target, 'discarded', by)
    await recordOperation(tx, context, 'discard', by, [], { quarantineId: target })
    return 1
  })
}

async function discardMatching(
  context: InboxContext,
  { filter: { reason, until } }: { filter: DiscardFilter },
  { by, dryRun }: DiscardOptions,
): Promise<number> {
  const { database, tables, source } = context
  const open = `source = $1 and state = 'open' and ($2::text is null or reason = $2)
    and ($3::timestamptz is null or last_seen_at < $3)`
  const values = [source, reason, toTime('until', until)]
  if (dryRun) {
    const text = `select count(*) as count from ${tables.quarantine} where ${open}`
    const { rows } = await database.query<{ count: number }>(text, values)
    return rows[0]?.count ?? 0
  }
  return await database.tx(async (tx) => {
    const { rowCount } = await tx.query(
      `update ${tables.quarantine} set state = 'discarded', resolved_at = now(), resolved_by = $4
       where ${open}`,
      [...values, by === undefined ? null : cleanText(by)],
    )
    const count = rowCount ?? 0
    const detail = `${count} in quarantine${reason === undefined ? '' : `, ${reason}`}`
    if (count > 0) await recordOperation(tx, context, 'discard', by, [], { detail })
    return count
  })
}

/**
 * Parses a delivery in quarantine with the current parser and stores its event, in one transaction.
 * Its signature was verified on arrival and is not checked again, because the tolerance is long
 * over. If a header's id caused the quarantine, the signed body decides.
 */
export async function releaseQuarantined(
  context: InboxContext,
  id: number,
  { by }: OperatorOptions = {},
): Promise<'stored' | 'duplicate'> {
  return await context.database.tx(async (tx) => {
    const { reason, ...delivery } = await takeQuarantined(tx, context, id, 'released', by)
    if (reason === 'id_conflict') throw idConflict(id)
    const parsed = parseEvent(delivery.body)
    if (!('event' in parsed)) {
      const why = `${parsed.problem}: ${parsed.detail}`
      const fix = isPulled(delivery)
        ? 'Discard it: an item of the pull API that could not be read is never released.'
        : 'Discard it, or try again with a version that can read it.'
      const message = `Row ${id} of the quarantine is still not a valid event (${why}). ${fix}`
      throw new InboxError('still_unreadable', message)
    }
    const { event } = parsed
    const result = await storeReleased(tx, context, delivery, event)
    // Thrown inside the transaction, so that it leaves no second row in quarantine.
    if (result !== 'stored' && result !== 'duplicate') throw idConflict(id)
    const { rows } = await tx.query<{ id: number }>(
      `select id from ${context.tables.entry} where source = $1 and event_id = $2`,
      [context.source, event.id],
    )
    const entryIds = rows.map((row) => row.id)
    await recordOperation(tx, context, 'release', by, entryIds, { quarantineId: id })
    return result
  })
}

async function storeReleased(
  tx: Tx,
  context: InboxContext,
  delivery: Delivery,
  event: FeedEvent,
): Promise<Acceptance | undefined> {
  if (isPulled(delivery)) {
    const stored = await insertPulled(tx, context, pulledRows([event]), delivery.receivedAt)
    return stored.length === 1 ? 'stored' : 'duplicate'
  }
  const released = { ...delivery, event, notes: noteEvent(event), doubt: null }
  const [result] = await createAcceptGroup(context)(tx, [released])
  return result
}

function isPulled({ signedBy }: Delivery): boolean {
  return signedBy === pullSigner
}

function idConflict(id: number): InboxError {
  const message = `Row ${id} of the quarantine has the id of a stored event but other bytes, and the inbox cannot tell which one is true. Compare them, correct your own data if needed, then discard this row.`
  return new InboxError('id_conflict', message)
}

/** Resolves an open row in this transaction. A concurrent caller waits, and finds it resolved. */
async function takeQuarantined(
  tx: Tx,
  { tables, source }: InboxContext,
  id: number,
  resolved: QuarantineState,
  by: string | undefined,
): Promise<Delivery & { reason: Quarantined }> {
  const table = tables.quarantine
  const { rows } = await tx.query<Delivery & { reason: Quarantined; state: QuarantineState }>(
    `select reason, state, body, signed_by as "signedBy", signed_at as "signedAt", headers,
       first_seen_at as "receivedAt"
     from ${table} where source = $1 and id = $2 for update`,
    [source, id],
  )
  const [row] = rows
  if (!row)
    throw new InboxError(
      'not_quarantined',
      `There is no row ${id} in ${table}. List the quarantine to find its id.`,
    )
  const { state, ...held } = row
  if (state !== 'open')
    throw new InboxError(
      'already_resolved',
      `Row ${id} of ${table} was already ${state}. Nothing was changed.`,
    )
  await tx.query(
    `update ${table} set state = $2, resolved_at = now(), resolved_by = $3 where id = $1`,
    [id, resolved, by === undefined ? null : cleanText(by)],
  )
  return held
}
