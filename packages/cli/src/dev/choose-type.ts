import type { EntryRow } from '@feed-receiver/inbox'

/** Those that the templates handle. */
const usual = ['outage_started', 'model_release']

/**
 * The type of event to offer first: one that the app has a handler for, as far as its newest entries
 * show it. An entry without a handler is skipped.
 */
export function chooseType(entries: readonly Pick<EntryRow, 'type' | 'state' | 'job'>[]): string {
  const ofType = (isWanted: (entry: (typeof entries)[number]) => boolean) =>
    entries.filter(isWanted).map(({ type }) => type)
  const skipped = ofType(({ state }) => state === 'skipped')
  const handled = ofType(
    ({ state, job }) => state === 'done' || state === 'dead' || job?.state === 'retrying',
  )
  const isLikely = (type: string) => handled.includes(type) || !skipped.includes(type)
  return [...usual, ...handled].find(isLikely) ?? 'outage_started'
}
