import { setTimeout as delay } from 'node:timers/promises'
import { toTime } from '../entry/entry-filter.ts'
import { isoTime } from '../entry/sql.ts'
import { checkOption } from '../errors.ts'
import type { InboxContext } from '../context.ts'
import { countMatching } from './list-entries.ts'
import { checkHandled, checkTarget, hasContent, maxCounted } from './requeue-entries.ts'
import { requeueEntries, targetConditions, withCondition } from './requeue-entries.ts'
import type { RequeueOptions, RequeueTarget } from './requeue-entries.ts'

/**
 * The entries to reprocess: by the ids of their events, or all that match a filter. Its default
 * states are `done` and `skipped`.
 */
export type ReprocessTarget = RequeueTarget

export interface ReprocessOptions extends RequeueOptions {
  /**
   * How to treat effects that `effects.once` has stored: `keep` does not repeat them, as in a
   * retry; `again` deletes their results, so that they run again, with new idempotency keys.
   * @default 'keep'
   */
  effects?: 'keep' | 'again'
  /**
   * Only entries that ended before this time, by the database's clock. To continue an interrupted
   * reprocess, pass its `handledBefore`: entries that it already requeued are left alone.
   * @default the time at which it begins
   */
  handledBefore?: Date | string | undefined
}

/** The result of a reprocessing or, with `dryRun`, its expected result. */
export interface Reprocessed {
  /** The number of requeued entries. */
  reprocessed: number
  /** False if a dry run found more than the 100,000 that it counts. */
  isExact: boolean
  /**
   * Entries that could not be reprocessed, because retention deleted their content; counted up to
   * 100,000.
   */
  emptied: number
  /** The reprocessing took entries that ended before this time; ISO 8601 in UTC. */
  handledBefore: string
}

/**
 * Requeues done and skipped entries, each in one transaction with a new job, so that they are
 * handled again with `reprocess: true`. Of two concurrent calls only one takes an entry. Entries
 * handled after the reprocessing began are left out. Events of the type destination_test reach no
 * handler and are left out. Errors: `bad_option`.
 */
export async function reprocessEntries(
  context: InboxContext,
  target: ReprocessTarget,
  options: ReprocessOptions = {},
): Promise<Reprocessed> {
  const { dryRun = false, by, effects = 'keep', onProgress, signal } = options
  checkTarget(target)
  checkFilter(target)
  checkOption(effects === 'keep' || effects === 'again', `effects: use 'keep' or 'again'.`)
  const handledBefore = await readLimit(context, toTime('handledBefore', options.handledBefore))

  const found = await targetConditions(context, target)
  const limit = `handled_at < $${found.values.length + 1}::timestamptz`
  const ended = withCondition(
    { parts: found.parts, values: [...found.values, handledBefore] },
    `state in ('done', 'skipped') and ${limit}`,
  )
  const isStored = hasContent(context.tables)
  const stored = withCondition(ended, isStored)
  const emptied = await countMatching(
    context,
    withCondition(ended, `not (${isStored})`),
    maxCounted,
  )
  const result = { emptied: emptied.count, handledBefore }
  if (dryRun) {
    const { count, isExact } = await countMatching(context, stored, maxCounted)
    return { reprocessed: count, isExact, ...result }
  }
  const again = effects === 'again'
  const reprocessed = await requeueEntries(context, stored, {
    kind: 'reprocess',
    by,
    detail: describe(target, { effects, handledBefore }),
    sets: ['is_reprocessed = true', ...(again ? ['effect_round = entry.effect_round + 1'] : [])],
    forgetsEffects: again,
    onProgress,
    signal,
  })
  return { reprocessed, isExact: true, ...result }
}

function checkFilter(target: ReprocessTarget): void {
  if ('ids' in target) return
  const { state } = target.filter
  checkHandled(target.filter, 'reprocessed')
  checkOption(
    state === undefined || state === 'done' || state === 'skipped',
    'state: only done and skipped entries can be reprocessed. Retry dead entries instead.',
  )
  checkOption(
    target.filter.error === undefined,
    'error: only dead and failing entries have one. Retry those instead.',
  )
}

/**
 * The time before which entries must have ended. In whole milliseconds, so that callers can pass it
 * again. And past when this returns, so that no run of this reprocessing can end before it.
 */
async function readLimit({ database }: InboxContext, given: Date | undefined): Promise<string> {
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

/** Describes the target. The parts needed to continue an interrupted reprocessing come first. */
function describe(target: ReprocessTarget, limits: Record<string, string>): string {
  const filter = 'filter' in target ? Object.entries(target.filter) : []
  return [...Object.entries(limits), ...filter]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value instanceof Date ? value.toISOString() : value}`)
    .join(', ')
}
