import { setTimeout as delay } from 'node:timers/promises'
import type { EntryFilter } from '../entry/entry-filter.ts'
import { toTime } from '../entry/entry-filter.ts'
import { isoTime } from '../entry/sql.ts'
import { checkOption } from '../errors.ts'
import type { Place } from '../queue/queue.ts'
import { countMatching } from './list-entries.ts'
import { checkHandled, hasContent, maxCounted, reopenEntries } from './reopen-entries.ts'
import { targetConditions, withCondition, type ReopenOptions } from './reopen-entries.ts'

/** Which entries to replay: by the ids of their events, or all that a filter finds. */
export type ReplayTarget =
  | { ids: readonly string[] }
  | {
      /** @default state 'done' and 'skipped' */
      filter: EntryFilter
    }

export interface ReplayOptions extends ReopenOptions {
  /**
   * What becomes of effects that `effects.once` has noted: `keep` leaves them out, as in a retry;
   * `again` forgets them, so that they happen once more, under other idempotency keys.
   * @default 'keep'
   */
  effects?: 'keep' | 'again'
  /**
   * Only entries that ended before this time, by the database's clock. To go on with a replay that was
   * interrupted, give the `handledBefore` of that one: what it has put back is left alone.
   * @default the time at which it begins
   */
  handledBefore?: Date | string | undefined
}

/** What a replay did, or with `dryRun` would do. */
export interface Replayed {
  /** How many entries it put back. */
  replayed: number
  /** False where a dry run found more than the 100,000 that it counts. */
  isExact: boolean
  /** How many it could not, since retention has emptied their bytes; counted up to 100,000. */
  emptied: number
  /** It took entries that ended before this time; ISO 8601 in UTC. */
  handledBefore: string
}

/**
 * Puts done and skipped entries back to received, each in one transaction with a job of its own, so
 * that they are handled again; their handlers are told `replay: true`. Of two calls at once only one
 * takes an entry, and none takes what was handled since it began. Events of the type destination_test
 * reach no handler and are left out. Errors: `bad_option`.
 */
export async function replayEntries(
  place: Place,
  target: ReplayTarget,
  options: ReplayOptions = {},
): Promise<Replayed> {
  const { dryRun = false, by, effects = 'keep', onProgress, signal } = options
  checkTarget(target)
  checkOption(effects === 'keep' || effects === 'again', `effects: use 'keep' or 'again'.`)
  const handledBefore = await readLimit(place, toTime('handledBefore', options.handledBefore))

  const found = await targetConditions(place, target)
  const limit = `handled_at < $${found.values.length + 1}::timestamptz`
  const ended = withCondition(
    { parts: found.parts, values: [...found.values, handledBefore] },
    `state in ('done', 'skipped') and ${limit}`,
  )
  const isKept = hasContent(place.tables)
  const emptied = await countMatching(place, withCondition(ended, `not (${isKept})`), maxCounted)
  const result = { emptied: emptied.count, handledBefore }
  if (dryRun) {
    const { count, isExact } = await countMatching(place, withCondition(ended, isKept), maxCounted)
    return { replayed: count, isExact, ...result }
  }
  const again = effects === 'again'
  const replayed = await reopenEntries(place, ended, {
    kind: 'replay',
    by,
    detail: describe(target, { effects, handledBefore }),
    sets: ['is_replay = true', ...(again ? ['effect_round = entry.effect_round + 1'] : [])],
    forgetsEffects: again,
    onProgress,
    signal,
  })
  return { replayed, isExact: true, ...result }
}

function checkTarget(target: ReplayTarget): void {
  if ('ids' in target) return
  const { state } = target.filter
  checkHandled(target.filter, 'replayed')
  checkOption(
    state === undefined || state === 'done' || state === 'skipped',
    'state: only done and skipped entries can be replayed. Retry what is dead.',
  )
}

/**
 * Before which time entries must have ended. In whole milliseconds, so that it can be said again, and
 * over when this returns, so that nothing of this replay can end before it.
 */
async function readLimit({ database }: Place, given: Date | undefined): Promise<string> {
  const { rows } = await database.query<{ at: string }>(
    `select ${isoTime(`least(
       $1::timestamptz,
       date_trunc('milliseconds', clock_timestamp() + interval '1 millisecond')
     )`)} as at`,
    [given],
  )
  await delay(2)
  return rows[0]?.at ?? ''
}

/** What was asked for; the parts by which an interrupted one goes on come first. */
function describe(target: ReplayTarget, limits: Record<string, string>): string {
  const filter = 'filter' in target ? Object.entries(target.filter) : []
  return [...Object.entries(limits), ...filter]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : value}`)
    .join(', ')
}
