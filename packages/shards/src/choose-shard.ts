import { hash } from 'node:crypto'
import type { FeedEvent } from '@feed-receiver/core'
import type { EntryRow } from '@feed-receiver/inbox'
import { cleanText } from '@feed-receiver/inbox/internal'
import { checkOption, ShardError } from './errors.ts'

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

/** The members of an event that decide its shard, as its entry has them. */
type ShardKeys = Pick<EntryRow, 'eventId' | 'createdAt' | 'provider' | 'subjectType' | 'subjectKey'>

/** The maximum number of shards. `latestTestId` of the poller has room for no more. */
export const maxShards = 1_000

/** Chooses the shard of each event, entry and delivery. */
export interface ShardChoice {
  /** Whether there were fewer shards before. */
  hasPrevious: boolean
  ofEvent(event: FeedEvent, isOrdered?: boolean): number
  /** The shard to which a stored entry belongs. */
  ofEntry(row: EntryRow, isOrdered?: boolean): number
  /** The shard of an unreadable delivery. Any shard will do, but it must always be the same. */
  ofUnreadable(eventId: string | null, body: Uint8Array): number
}

/**
 * Creates the choice of shards. It depends only on the event, so that processes agree without
 * asking each other, and a duplicate always leads to the same shard. Errors: `bad_option`.
 */
export function createChoice(
  count: number,
  previous: PreviousShards | readonly PreviousShards[] = [],
): ShardChoice {
  const before = readPrevious(count, [previous].flat())

  /** The number of shards for an event of that time. */
  const countAt = (createdAt: string): number => {
    const time = Date.parse(createdAt)
    return before.find(({ until }) => time < until)?.shards ?? count
  }
  const choose = (keys: ShardKeys, isOrdered: boolean): number =>
    chooseShard(isOrdered ? orderKey(keys) : keys.eventId, countAt(keys.createdAt))

  return {
    hasPrevious: before.length > 0,
    ofEvent: ({ id, created_at: createdAt, data: { provider, subject } }, isOrdered = false) =>
      choose(
        {
          eventId: id,
          createdAt,
          provider: cleanText(provider),
          subjectType: subject.type === null ? null : cleanText(subject.type),
          subjectKey: subject.key === null ? null : cleanText(subject.key),
        },
        isOrdered,
      ),
    ofEntry: (row, isOrdered = false) => choose(row, isOrdered),
    ofUnreadable: (eventId, body) => chooseShard(eventId ?? body, count),
  }
}

/** An ordered inbox needs events with the same order key in one shard; see `orderKeySql`. */
function orderKey({ eventId, provider, subjectType, subjectKey }: ShardKeys): string {
  if (subjectKey === null) return eventId
  return `${provider}/${subjectType ?? ''}/${subjectKey}`.slice(0, 600)
}

/** The minimum number of entries for a verdict. */
const fewestEntries = 10
/**
 * The share of misplaced entries above which the list counts as wrong. With `previous`, a process
 * that started too late leaves some, and closing a shard because of them would help nobody.
 */
const mostMisplaced = { now: 0.1, withPrevious: 0.9 }

/**
 * Checks whether the newest entries of a shard belong there. A list in another order, or with one
 * more shard but without `previous`, would store duplicates. Returns an error to report if only
 * some do not belong there. Errors: `wrong_shard`.
 */
export function findMisplaced(
  entries: readonly EntryRow[],
  { choice, isOrdered, index, count }: CheckedShard,
): ShardError | undefined {
  const misplaced = entries.filter((entry) => choice.ofEntry(entry, isOrdered) !== index).length
  if (misplaced === 0) return undefined
  const holds = `Shard ${index + 1} of ${count} holds events that belong to other shards`
  const most = choice.hasPrevious ? mostMisplaced.withPrevious : mostMisplaced.now
  if (entries.length >= fewestEntries && misplaced > most * entries.length) {
    throw new ShardError(
      'wrong_shard',
      `${holds}. List the inboxes in their original order with new ones at the end, and set \`previous\` to the earlier number.`,
    )
  }
  return new ShardError(
    'shard_misplaced',
    `${holds} (${misplaced} of the latest ${entries.length}), so their duplicates may be handled twice. Check that every process lists the same inboxes with the same \`previous\`, and that all started before its \`until\`.`,
  )
}

interface CheckedShard {
  choice: ShardChoice
  isOrdered: boolean
  index: number
  count: number
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
    until: new Date(until).getTime(),
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
