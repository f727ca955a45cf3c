import type { Queryable } from '@feed-receiver/database'
import type { Page } from '../../state/page.ts'

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
  destinationId: string,
  change: DestinationEvent,
  detail?: string,
): Promise<void> {
  await db.query(
    'insert into sandbox.destination_log (destination_id, change, detail) values ($1, $2, $3)',
    [destinationId, change, detail],
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

/** The newest first; `before` is the id of an earlier page's last one. */
export async function listDestinationChanges(
  db: Queryable,
  { destinationId, before, limit = 100 }: Page & { destinationId?: string | undefined } = {},
): Promise<KeptDestinationChange[]> {
  const { rows } = await db.query<KeptDestinationChange>(
    `select id, destination_id as "destinationId", at, change, detail, delivery_id as "deliveryId"
     from sandbox.destination_log
     where ($1::text is null or destination_id = $1) and ($2::bigint is null or id < $2)
     order by id desc limit $3`,
    [destinationId, before, limit],
  )
  return rows
}
