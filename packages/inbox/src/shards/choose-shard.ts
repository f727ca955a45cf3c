import { hash } from 'node:crypto'
import type { FeedEvent } from '@feed-receiver/core'
import { cleanText } from '../entry/columns.ts'
import { toTime } from '../entry/entry-filter.ts'
import { checkOption } from '../errors.ts'
import type { EntryRow } from '../admin/list-entries.ts'

/** The earlier number of shards, and its end. */
export interface PreviousShards {
  /** The number of shards, from the start of the list. */
  shards: number
  /**
   * Events that the service observed before this time (`created_at`) stay in their shards. Later
   * events use the next number of shards. Start every process with this setting before that time.
   */
  until: Date | string
}

/** The members of an event that decide its shard. */
interface Placed {
  eventId: string
  createdAt: string
  provider: string
  subjectType: string | null
  subjectKey: string | null
}

/** Chooses the shard of each event, entry and delivery. */
export type ShardChoice = ReturnType<typeof createChoice>

/** The maximum number of shards, because the last three digits of an id name the shard. */
export const maxShards = 1_000

/**
 * Creates the choice of shards. It depends only on the event, so that processes agree without
 * asking each other, and a duplicate always leads to the same shard. Errors: `bad_option`.
 */
export function createChoice(
  count: number,
  previous: PreviousShards | readonly PreviousShards[] = [],
  isOrdered = false,
) {
  const before = readPrevious(count, [previous].flat())

  /** The number of shards for an event of that time. */
  const countAt = (createdAt: string): number => {
    const time = Date.parse(createdAt)
    return before.find(({ until }) => time < until)?.shards ?? count
  }
  const place = (placed: Placed): number =>
    chooseShard(isOrdered ? orderKey(placed) : placed.eventId, countAt(placed.createdAt))

  return {
    hasPrevious: before.length > 0,
    ofEvent: ({ id, created_at: createdAt, data: { provider, subject } }: FeedEvent): number =>
      place({
        eventId: id,
        createdAt,
        provider: cleanText(provider),
        subjectType: subject.type === null ? null : cleanText(subject.type),
        subjectKey: subject.key === null ? null : cleanText(subject.key),
      }),
    /** The shard to which a stored entry belongs. */
    ofEntry: (row: EntryRow): number => place(row),
    /** The shard of an unreadable delivery. Any shard will do, but it must always be the same. */
    ofUnreadable: (eventId: string | null, body: Uint8Array): number =>
      chooseShard(eventId ?? body, count),
  }
}

/** An ordered inbox needs events with the same order key in one shard; see `orderKeySql`. */
function orderKey({ eventId, provider, subjectType, subjectKey }: Placed): string {
  if (subjectKey === null) return eventId
  return `${provider}/${subjectType ?? ''}/${subjectKey}`.slice(0, 600)
}

const mask = (1n << 64n) - 1n

/**
 * The shard of a key, by the jump hash of Lamping and Veach. A new shard takes its share of keys
 * from all others, and no key moves between those.
 */
export function chooseShard(key: string | Uint8Array, count: number): number {
  let seed = hash('sha256', key, 'buffer').readBigUInt64BE()
  let shard = 0
  for (let next = 0; next < count;) {
    shard = next
    seed = (seed * 2_862_933_555_777_941_757n + 1n) & mask
    next = Math.floor((shard + 1) * (2 ** 31 / (Number(seed >> 33n) + 1)))
  }
  return shard
}

function readPrevious(count: number, previous: readonly PreviousShards[]) {
  const read = previous.map(({ shards, until }) => ({
    shards,
    until: toTime('previous.until', until)?.getTime() ?? Number.NaN,
  }))
  for (const [index, { shards, until }] of read.entries()) {
    const isNumber = Number.isInteger(shards) && shards >= 1 && shards < count
    checkOption(isNumber, `previous.shards: use a whole number from 1 to ${count - 1}.`)
    checkOption(!Number.isNaN(until), 'previous.until: use a Date or a time in ISO 8601.')
    const before = read[index - 1]
    const isLater = !before || (before.until < until && before.shards < shards)
    checkOption(isLater, 'previous: put the earliest first, each with more shards than before.')
  }
  return read
}
