import type { Delivery, Quarantined } from '@feed-receiver/core'
import type { Queryable, Tx } from '@feed-receiver/database'
import { cleanText } from '../entry/clean-text.ts'
import { InboxError } from '../errors.ts'
import type { QuarantineState } from './list-quarantined.ts'

/** What was set aside, as it was received. */
export interface HeldDelivery extends Delivery {
  reason: Quarantined
}

/** Takes an open row for this transaction; whoever comes at once waits, and finds it settled. */
export async function takeQuarantined(
  tx: Tx,
  table: string,
  source: string,
  id: number,
): Promise<HeldDelivery> {
  const { rows } = await tx.query<HeldDelivery & { state: QuarantineState }>(
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

/** Ends a row that was taken before. */
export async function settleQuarantined(
  db: Queryable,
  table: string,
  id: number,
  state: 'released' | 'discarded',
  by: string | undefined,
): Promise<void> {
  await db.query(
    `update ${table} set state = $2, settled_at = now(), settled_by = $3 where id = $1`,
    [id, state, by === undefined ? null : cleanText(by)],
  )
}
