import {
  noteEvent,
  parseEvent,
  type Delivery,
  type FeedEvent,
  type Quarantined,
} from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { acceptGroupsOn } from '../accept/accept-group.ts'
import { cleanText } from '../entry/columns.ts'
import { InboxError } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import type { QuarantineState } from './list-quarantined.ts'
import { recordOperation } from './operations.ts'

export interface SettleOptions {
  /** Who does it; kept with the time. */
  by?: string | undefined
}

export async function discardQuarantined(
  place: Place,
  id: number,
  { by }: SettleOptions = {},
): Promise<void> {
  await place.database.tx(async (tx) => {
    await takeQuarantined(tx, place, id)
    await settleQuarantined(tx, place, { id, state: 'discarded', by })
    await recordOperation(tx, place, { kind: 'discard', by, quarantineId: id })
  })
}

/**
 * Reads a delivery in quarantine with today's parser and stores its event, in one transaction. Its
 * signature held when it came, and is not asked for again: the window is long over. Where the id of
 * a header was the doubt, the signed body has authority.
 */
export async function releaseQuarantined(
  place: Place,
  id: number,
  { by }: SettleOptions = {},
): Promise<'stored' | 'duplicate'> {
  return await place.database.tx(async (tx) => {
    const { reason, ...delivery } = await takeQuarantined(tx, place, id)
    if (reason === 'id_conflict') throw conflict(id)
    const event = readHeld(delivery, id)
    const released = { ...delivery, event, notes: noteEvent(event), doubt: null }
    const [result] = await acceptGroupsOn(place)(tx, [released])
    // Thrown inside the transaction, so that it leaves no second row in quarantine.
    if (result !== 'stored' && result !== 'duplicate') throw conflict(id)
    await settleQuarantined(tx, place, { id, state: 'released', by })
    const { rows } = await tx.query<{ id: number }>(
      `select id from ${place.tables.entry} where source = $1 and event_id = $2`,
      [place.source, event.id],
    )
    const entryIds = rows.map((row) => row.id)
    await recordOperation(tx, place, { kind: 'release', by, entryIds, quarantineId: id })
    return result
  })
}

function readHeld({ body }: Delivery, id: number): FeedEvent {
  const parsed = parseEvent(body)
  if ('event' in parsed) return parsed.event
  throw new InboxError(
    'still_unreadable',
    `Row ${id} of quarantine is still no event (${parsed.problem}: ${parsed.detail}). ` +
      'Discard it, or try again with a version that can read it.',
  )
}

function conflict(id: number): InboxError {
  return new InboxError(
    'id_conflict',
    `Row ${id} of quarantine has the id of an event that is stored with other bytes, and which of ` +
      'the two is true cannot be told. Compare them, act by hand if need be, and discard this row.',
  )
}

/** Takes an open row for this transaction; whoever comes at once waits, and finds it settled. */
async function takeQuarantined(
  tx: Tx,
  { tables, source }: Place,
  id: number,
): Promise<Delivery & { reason: Quarantined }> {
  const table = tables.quarantine
  const { rows } = await tx.query<Delivery & { reason: Quarantined; state: QuarantineState }>(
    `select reason, state, body, signed_by as "signedBy", signed_at as "signedAt", headers,
       first_seen_at as "receivedAt"
     from ${table} where source = $1 and id = $2 for update`,
    [source, id],
  )
  const [row] = rows
  if (!row) throw new InboxError('not_quarantined', `There is no row ${id} in ${table}.`)
  const { state, ...held } = row
  if (state === 'open') return held
  throw new InboxError('already_settled', `Row ${id} of ${table} has been ${state} before.`)
}

async function settleQuarantined(
  tx: Tx,
  { tables }: Place,
  { id, state, by }: { id: number; state: QuarantineState; by: string | undefined },
): Promise<void> {
  await tx.query(
    `update ${tables.quarantine} set state = $2, settled_at = now(), settled_by = $3 where id = $1`,
    [id, state, by === undefined ? null : cleanText(by)],
  )
}
