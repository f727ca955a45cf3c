import { useLive } from '@feed-receiver/page-kit'
import { useMemo, useRef } from 'preact/hooks'
import { ask } from '../../../console/page/src/api.ts'
import { call } from '../../../sandbox/page/src/api.ts'
import type { ActionAnswer } from '../../../sandbox/src/control/actions.ts'
import type { ViewAnswer } from '../../../console/src/views.ts'
import { offerHandled } from './handled-type.ts'

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

/** This many of the newest rows are polled. Older rows are loaded once. */
const newest = 100
const pageSize = 500
const everyMs = 1_000

/** The live timeline, and a function that loads older events. */
export function useTimeline() {
  const known = useRef({
    deliveries: new Map<number, Delivery>(),
    entries: new Map<string, Entry>(),
    /** The next attempts of failing entries, by event and the number of their last attempt. */
    nextAttempts: new Map<string, string>(),
    afterEntries: undefined as number | null | undefined,
    version: 0,
  }).current

  const load = async () => {
    const [deliveries, inbox] = await Promise.all([
      call('listDeliveries', { limit: newest }),
      askEntries({ limit: newest }),
    ])
    take(deliveries, inbox.entries)
    offerHandled(inbox.entries)
    await findNextAttempts(inbox.entries)
    if (known.afterEntries === undefined) known.afterEntries = inbox.next
    return { version: known.version, inboxProblem: inbox.problem }
  }
  const { answer, problem } = useLive('timeline', load, everyMs)
  const rows = useMemo(
    () =>
      toRows(known.deliveries.values(), known.entries.values()).map((row) => ({
        ...row,
        nextAttemptAt: row.entry?.isFailing
          ? known.nextAttempts.get(attemptOf(row.entry))
          : undefined,
      })),
    [known.version],
  )
  return { rows, isLoaded: answer !== null, inboxProblem: answer?.inboxProblem, problem, loadOlder }

  /** Resolves to whether there was anything older. */
  async function loadOlder(): Promise<boolean> {
    const before = Math.min(...known.deliveries.keys())
    const { afterEntries } = known
    const [deliveries, inbox] = await Promise.all([
      Number.isFinite(before) ? call('listDeliveries', { before, limit: pageSize }) : [],
      typeof afterEntries === 'number'
        ? askEntries({ after: afterEntries, limit: pageSize })
        : { entries: [], next: null },
    ])
    take(deliveries, inbox.entries)
    known.afterEntries = inbox.next
    return deliveries.length + inbox.entries.length > 0
  }

  /** Only the details of an entry have the time, which changes with each attempt. */
  async function findNextAttempts(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const attempt = attemptOf(entry)
      if (!entry.isFailing || known.nextAttempts.has(attempt)) continue
      const details = await ask('entry', { id: entry.eventId }).catch(() => null)
      const at = details?.entry.job?.nextAttemptAt
      if (typeof at === 'string') known.nextAttempts.set(attempt, at)
      known.version += 1
    }
  }

  function take(deliveries: readonly Delivery[], entries: readonly Entry[]): void {
    for (const one of deliveries) if (put(known.deliveries, one.id, one)) known.version += 1
    for (const one of entries) if (put(known.entries, one.eventId, one)) known.version += 1
  }
}

function attemptOf({ eventId, job }: Entry): string {
  return `${eventId} ${job?.attempts ?? 0}`
}

/** Entries, or the reason why there are none: the app may not have started yet. */
async function askEntries(query: { limit: number; after?: number }) {
  return await ask('entries', query).then(
    ({ entries, next }) => ({ entries, next, problem: undefined }),
    (error: unknown) => ({
      entries: [],
      next: undefined,
      problem: error instanceof Error ? error.message : String(error),
    }),
  )
}

/** Sets a value; false if an equal one was there. */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): boolean {
  if (JSON.stringify(map.get(key)) === JSON.stringify(value)) return false
  map.set(key, value)
  return true
}

/**
 * Joins deliveries and entries by event, newest event first. Deliveries are sorted by id, because
 * the service's clock can be moved. An entry without a delivery, for example from pull, is placed
 * right after the entry that was stored before it. Tests that another sender sent are left out.
 */
function toRows(deliveries: Iterable<Delivery>, entries: Iterable<Entry>): TimelineRow[] {
  const rows = new Map<string, TimelineRow & { place: number }>()
  for (const delivery of [...deliveries].toSorted((a, b) => a.id - b.id)) {
    const { eventId, id } = delivery
    const row = rows.get(eventId)
    if (row) row.deliveries.unshift(delivery)
    else rows.set(eventId, { eventId, deliveries: [delivery], entry: undefined, place: id })
  }
  let place = 0
  for (const entry of [...entries].toSorted((a, b) => a.receivedAt.localeCompare(b.receivedAt))) {
    const { eventId } = entry
    const row = rows.get(eventId)
    if (row) {
      row.entry = entry
      place = Math.max(place, row.place)
    } else if (entry.type !== 'destination_test') {
      place += 1e-6
      rows.set(eventId, { eventId, deliveries: [], entry, place })
    }
  }
  return [...rows.values()].toSorted((a, b) => b.place - a.place)
}
