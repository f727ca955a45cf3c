import { noteEvent, parseEvent, type Delivery, type Quarantined } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { acceptGroupsOn } from '../accept/accept-group.ts'
import { cleanText } from '../entry/columns.ts'
import { InboxError, say } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import type { QuarantineState } from './list-quarantined.ts'
import { recordOperation, type SettleOptions } from './operations.ts'

export async function discardQuarantined(
  place: Place,
  id: number,
  options: SettleOptions = {},
): Promise<void> {
  const { by } = options
  await place.database.tx(async (tx) => {
    await takeQuarantined(tx, place, id, 'discarded', by)
    await recordOperation(tx, place, 'discard', by, [], id)
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
  options: SettleOptions = {},
): Promise<'stored' | 'duplicate'> {
  const { by } = options
  return await place.database.tx(async (tx) => {
    const { reason, ...delivery } = await takeQuarantined(tx, place, id, 'released', by)
    if (reason === 'id_conflict') throw conflict(id)
    const parsed = parseEvent(delivery.body)
    if (!('event' in parsed)) {
      throw new InboxError('still_unreadable', say('still_unreadable', { id, ...parsed }))
    }
    const { event } = parsed
    const released = { ...delivery, event, notes: noteEvent(event), doubt: null }
    const [result] = await acceptGroupsOn(place)(tx, [released])
    // Thrown inside the transaction, so that it leaves no second row in quarantine.
    if (result !== 'stored' && result !== 'duplicate') throw conflict(id)
    const { rows } = await tx.query<{ id: number }>(
      `select id from ${place.tables.entry} where source = $1 and event_id = $2`,
      [place.source, event.id],
    )
    const entryIds = rows.map((row) => row.id)
    await recordOperation(tx, place, 'release', by, entryIds, id)
    return result
  })
}

function conflict(id: number): InboxError {
  return new InboxError('id_conflict', say('id_conflict', { id }))
}

/** Settles an open row in this transaction; whoever comes at once waits, and finds it settled. */
async function takeQuarantined(
  tx: Tx,
  { tables, source }: Place,
  id: number,
  settled: QuarantineState,
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
  if (!row) throw new InboxError('not_quarantined', `There is no row ${id} in ${table}.`)
  const { state, ...held } = row
  if (state !== 'open') {
    throw new InboxError('already_settled', `Row ${id} of ${table} has been ${state} before.`)
  }
  await tx.query(
    `update ${table} set state = $2, settled_at = now(), settled_by = $3 where id = $1`,
    [id, settled, by === undefined ? null : cleanText(by)],
  )
  return held
}
