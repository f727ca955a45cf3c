import { setTimeout as delay } from 'node:timers/promises'
import type { EventDelivery } from '@feed-receiver/core'
import {
  createGroupCommit,
  openDatabase,
  type CommitGroup,
  type Database,
  type DatabaseTarget,
  type GroupCommit,
} from '@feed-receiver/database'
import { acceptGroup, type Acceptance } from './accept/accept-group.ts'
import type { InboxHealth } from './operate/check-health.ts'
import type { Stoppable } from './handle/end-runs.ts'
import { isItemsFault } from './accept/items-fault.ts'
import { installTables } from './install-tables.ts'
import { observeHealth } from './operate/observe-health.ts'
import { openQueue, type Queue } from './queue/queue.ts'
import { storeInOneStatement } from './accept/store-entries.ts'
import { createSweep, type Swept } from './handle/sweep-entries.ts'
import type { Tables } from './entry/tables.ts'

export interface OpenInboxOptions {
  target: DatabaseTarget | Database | undefined
  tables: Tables
  schema: string
  source: string
  isOrdered: boolean
  migrate: boolean
  onError: (error: unknown) => void
  /** For the metrics. */
  health: () => Promise<InboxHealth>
}

/** What an inbox holds while it runs. */
export interface OpenInbox {
  database: Database
  queue: Queue
  accepting: GroupCommit<EventDelivery, Acceptance>
  /** Looks after what was left behind, each time from where it ended the last time. */
  sweep(): Promise<Swept>
  /** There once the inbox works. */
  worker?: Stoppable
  /** When a drain last swept, by `performance.now()`. */
  sweptAt?: number
  /** What handles entries just now: the worker, and drains. */
  readonly active: Set<Stoppable>
  /** Waits for deliveries and for running handlers, up to the given time, and closes. */
  close(stopTimeoutMs: number): Promise<void>
}

/** How much may share one statement, and how many of these there may be at once. */
const groups = { maxGroupSize: 100, maxGroupBytes: 8 * 1_048_576, maxGroups: 2 }

const closeTimeoutMs = 2_000

/** Opens and migrates the database, and creates what the queue needs. */
export async function openInbox(options: OpenInboxOptions): Promise<OpenInbox> {
  const { target, schema, migrate } = options
  const isOurs = !isDatabase(target)
  const database = isDatabase(target) ? target : openDatabase(target)
  try {
    await installTables(database, schema, migrate)
    return holdInbox(database, await openQueueOn(database, options), isOurs, options)
  } catch (error) {
    if (isOurs) await database.close()
    throw error
  }
}

async function openQueueOn(database: Database, options: OpenInboxOptions): Promise<Queue> {
  const { schema, source, isOrdered, migrate, onError } = options
  return await openQueue({
    // Of another name, so that an inbox may become ordered: the sweep moves what waits.
    name: isOrdered ? `${source}_ordered` : source,
    isOrdered,
    schema: `${schema}_queue`,
    boss: database.bossOptions(),
    migrate,
    onError,
  })
}

function holdInbox(
  database: Database,
  queue: Queue,
  isOurs: boolean,
  options: OpenInboxOptions,
): OpenInbox {
  const accepting = createGroupCommit(acceptOn(database, queue, options), {
    ...groups,
    // Two groups at once may commit in either order.
    ...(queue.isOrdered && { maxGroups: 1 }),
    bytesOf: ({ body }) => body.length,
    isItemsFault,
  })
  const stopObserving = observeHealth(options.source, options.health)
  const active = new Set<Stoppable>()
  return {
    database,
    queue,
    accepting,
    sweep: createSweep({ database, table: options.tables.entry, source: options.source, queue }),
    active,
    async close(stopTimeoutMs) {
      stopObserving()
      await accepting.settle()
      await Promise.all([...active].map((one) => one.stop(stopTimeoutMs)))
      await queue.stop()
      // A handler that was given up may still hold a connection, and would keep it open for ever.
      const patience = delay(closeTimeoutMs, undefined, { ref: false })
      if (isOurs) await Promise.race([database.close(), patience])
    },
  }
}

function acceptOn(
  database: Database,
  queue: Queue,
  { tables, source }: OpenInboxOptions,
): CommitGroup<EventDelivery, Acceptance> {
  const storeEntries = storeInOneStatement({ table: tables.entry, source, queue })
  return (deliveries) => acceptGroup(database, deliveries, { tables, source, storeEntries })
}

function isDatabase(target: OpenInboxOptions['target']): target is Database {
  return typeof target === 'object' && 'bossOptions' in target
}
