import type { Queryable } from '@feed-receiver/database'

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

export interface DestinationChange {
  change: DestinationEvent
  detail?: string | undefined
  deliveryId?: number | undefined
}

export async function logDestination(
  db: Queryable,
  destinationId: string,
  { change, detail, deliveryId }: DestinationChange,
): Promise<void> {
  await db.query(
    `insert into sandbox.destination_log (destination_id, change, detail, delivery_id)
     values ($1, $2, $3, $4)`,
    [destinationId, change, detail, deliveryId],
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
  {
    destinationId,
    before,
    limit = 100,
  }: {
    destinationId?: string | undefined
    before?: number | undefined
    limit?: number | undefined
  } = {},
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
