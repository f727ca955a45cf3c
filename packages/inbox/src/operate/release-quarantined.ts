import { noteEvent, parseEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { acceptGroup, type AcceptGroupOptions } from '../accept/accept-group.ts'
import { InboxError } from '../errors.ts'
import { recordOperation } from './record-operation.ts'
import { settleQuarantined, takeQuarantined } from './settle-quarantined.ts'

/**
 * Reads a delivery in quarantine with today's parser and stores its event, in one transaction. Its
 * signature held when it came, and is not asked for again: the window is long over. Where the id of
 * a header was the doubt, the signed body has authority.
 */
export async function releaseQuarantined(
  tx: Tx,
  id: number,
  by: string | undefined,
  options: AcceptGroupOptions,
): Promise<'stored' | 'duplicate'> {
  const { tables, source } = options
  const { reason, ...delivery } = await takeQuarantined(tx, tables.quarantine, source, id)
  if (reason === 'id_conflict') throw conflict(id)
  const parsed = parseEvent(delivery.body)
  if ('problem' in parsed) {
    throw new InboxError(
      'still_unreadable',
      `Row ${id} of quarantine is still no event (${parsed.problem}: ${parsed.detail}). ` +
        'Discard it, or try again with a version that can read it.',
    )
  }
  const { event } = parsed
  const released = { ...delivery, event, notes: noteEvent(event), doubt: null }
  const [result] = await acceptGroup(tx, [released], options)
  // Thrown inside the transaction, so that it leaves no second row in quarantine.
  if (result !== 'stored' && result !== 'duplicate') throw conflict(id)
  await settleQuarantined(tx, tables.quarantine, id, 'released', by)
  const { rows } = await tx.query<{ id: number }>(
    `select id from ${tables.entry} where source = $1 and event_id = $2`,
    [source, event.id],
  )
  const entryIds = rows.map((row) => row.id)
  await recordOperation(tx, tables, source, { kind: 'release', by, entryIds, quarantineId: id })
  return result
}

function conflict(id: number): InboxError {
  return new InboxError(
    'id_conflict',
    `Row ${id} of quarantine has the id of an event that is stored with other bytes, and which of ` +
      'the two is true cannot be told. Compare them, act by hand if need be, and discard this row.',
  )
}
