// Apart from `accept.ts`, so that the database package is loaded only when an inbox starts.
import { createGroupCommit } from '@feed-receiver/database/internal'
import type { InboxContext } from '../context.ts'
import { isDataFault } from '../sql-states.ts'
import { createAcceptGroup, type Accepting } from './accept.ts'

/** The limits of one statement, and of concurrent statements. */
const groups = { maxGroupSize: 100, maxGroupBytes: 8 * 1_048_576, maxGroups: 2 }

export function openAccepting(context: InboxContext): Accepting {
  const acceptGroup = createAcceptGroup(context)
  return createGroupCommit((deliveries) => acceptGroup(context.database, deliveries), {
    ...groups,
    // Two concurrent groups may commit in either order.
    ...(context.queue.isOrdered && { maxGroups: 1 }),
    bytesOf: ({ body }) => body.length,
    isItemsFault: isDataFault,
  })
}
