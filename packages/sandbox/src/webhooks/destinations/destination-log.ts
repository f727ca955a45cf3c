import type { Queryable } from '@feed-receiver/database'
import type { z } from 'zod'
import { page } from '../../state/fields.ts'
import { destinationId } from './destinations.ts'

export type DestinationEvent =
  | 'created'
  | 'changed'
  | 'activated'
  | 'test_failed'
  | 'paused'
  | 'exhausted'
  | 'secret_rotated'
  | 'rotation_cancelled'
  | 'secret_activated'
  | 'deleted'

export async function logDestination(
  db: Queryable,
  id: string,
  change: DestinationEvent,
  detail?: string,
): Promise<void> {
  await db.query(
    'insert into sandbox.destination_log (destination_id, change, detail) values ($1, $2, $3)',
    [id, change, detail],
  )
}

export interface KeptDestinationChange {
  id: number
  destinationId: string
  /** By the sandbox's clock. */
  at: Date
  change: DestinationEvent
  detail: string | null
  deliveryId: number | null
}

export const destinationChangeFilter = page.extend({ destinationId: destinationId.optional() })

/** Lists the newest first. `before` is the id of the last row on the previous page. */
export async function listDestinationChanges(
  db: Queryable,
  { destinationId: of, before, limit = 100 }: z.infer<typeof destinationChangeFilter> = {},
): Promise<KeptDestinationChange[]> {
  const { rows } = await db.query<KeptDestinationChange>(
    `select id, destination_id as "destinationId", at, change, detail, delivery_id as "deliveryId"
     from sandbox.destination_log
     where ($1::text is null or destination_id = $1) and ($2::bigint is null or id < $2)
     order by id desc limit $3`,
    [of, before, limit],
  )
  return rows
}
