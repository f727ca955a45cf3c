import { messageOf, useLive } from '@feed-receiver/page-kit'
import { useMemo, useState } from 'preact/hooks'
import { ask } from '../../../console/page/src/api.ts'
import { call } from '../../../sandbox/page/src/api.ts'
import type { ActionAnswer } from '../../../sandbox/src/control/actions.ts'
import type { ViewAnswer } from '../../../console/src/views.ts'
import { chooseType } from '../../src/dev/choose-type.ts'
import { createPagedList } from './paged-list.ts'

type Delivery = ActionAnswer<'listDeliveries'>[number]
type Entry = ViewAnswer<'entries'>['entries'][number]

/** An event with its deliveries and its entry in the inbox. */
export interface TimelineRow {
  eventId: string
  /** Newest first. */
  deliveries: Delivery[]
  entry: Entry | undefined
  /** When a failing entry is handled again; undefined for any other, and until it is known. */
  nextAttemptAt?: string | undefined
}

function createLists() {
  return {
    deliveries: createPagedList<Delivery>(async (limit, before) => {
      const rows = await call('listDeliveries', { limit, before })
      return { rows, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) }
    }),
    entries: createPagedList<Entry>(async (limit, after) => {
      const { entries, next } = await ask('entries', { limit, after })
      return { rows: entries, next }
    }),
    /** The next attempts of failing entries, by event and the number of their last attempt. */
    nextAttempts: new Map<string, string>(),
  }
}

let likely = chooseType([])

/** A type that the app handles, as far as its newest entries show it. */
export function handledType(): string {
  return likely
}

/** The live timeline, and a function that loads older events. */
export function useTimeline() {
  const [{ deliveries, entries, nextAttempts }] = useState(createLists)
  const version = () => deliveries.version + entries.version + nextAttempts.size

  const load = async () => {
    const [inboxProblem] = await Promise.all([pollEntries(), deliveries.poll()])
    return { version: version(), inboxProblem }
  }
  const { answer, problem } = useLive('timeline', load, 1_000)
  const rows = useMemo(
    () => toRows(deliveries.rows.values(), entries.rows.values(), nextAttempts),
    [version()],
  )
  return { rows, isLoaded: answer !== null, inboxProblem: answer?.inboxProblem, problem, loadOlder }

  /** Resolves to the reason why there are no entries: the app may not have started yet. */
  async function pollEntries(): Promise<string | undefined> {
    try {
      const newest = await entries.poll()
      likely = chooseType(newest)
      await findNextAttempts(newest)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  /** Resolves to whether there was anything older. */
  async function loadOlder(): Promise<boolean> {
    const older = [deliveries.loadOlder(), entries.loadOlder().catch(() => false)]
    return (await Promise.all(older)).includes(true)
  }

  /** Only the details of an entry have the time, which changes with each attempt. */
  async function findNextAttempts(newest: readonly Entry[]): Promise<void> {
    for (const entry of newest) {
      const attempt = attemptOf(entry)
      if (!entry.isFailing || nextAttempts.has(attempt)) continue
      const details = await ask('entry', { id: entry.eventId }).catch(() => null)
      const at = details?.entry.job?.nextAttemptAt
      if (typeof at === 'string') nextAttempts.set(attempt, at)
    }
  }
}

function attemptOf({ eventId, job }: Entry): string {
  return `${eventId} ${job?.attempts ?? 0}`
}

/**
 * Joins deliveries and entries by event, newest event first. Deliveries are sorted by id, because
 * the service's clock can be moved. An entry without a delivery, for example from pull, stands
 * right after the entry that was stored before it. Tests that another sender sent are left out.
 */
function toRows(
  deliveries: Iterable<Delivery>,
  entries: Iterable<Entry>,
  nextAttempts: ReadonlyMap<string, string>,
): TimelineRow[] {
  const rows = new Map<string, TimelineRow & { position: number }>()
  for (const delivery of [...deliveries].toSorted((a, b) => a.id - b.id)) {
    const { eventId, id } = delivery
    const row = rows.get(eventId)
    if (row) row.deliveries.unshift(delivery)
    else rows.set(eventId, { eventId, deliveries: [delivery], entry: undefined, position: id })
  }
  let position = 0
  for (const entry of [...entries].toSorted((a, b) => a.receivedAt.localeCompare(b.receivedAt))) {
    const { eventId } = entry
    const nextAttemptAt = entry.isFailing ? nextAttempts.get(attemptOf(entry)) : undefined
    const row = rows.get(eventId)
    if (row) {
      Object.assign(row, { entry, nextAttemptAt })
      position = Math.max(position, row.position)
    } else if (entry.type !== 'destination_test') {
      position += 1e-6
      rows.set(eventId, { eventId, deliveries: [], entry, nextAttemptAt, position })
    }
  }
  return [...rows.values()].toSorted((a, b) => b.position - a.position)
}
