import type { BoundedCount, Change, EntryState, QuarantineState } from '@feed-receiver/inbox'
import { formatNumber, State } from '@feed-receiver/page-kit'

/** A count, with a plus if there are more than were counted. */
export function formatCount({ count, isExact }: BoundedCount): string {
  return `${formatNumber(count)}${isExact ? '' : '+'}`
}

/** What a version of an event is to the one before, in words. */
export const changes: Record<Change, string> = {
  new: 'changed before it was handled',
  correction: 'corrected',
  retraction: 'retracted',
  confirmation: 'confirmed',
}

type AnyState = EntryState | QuarantineState | 'running' | 'retrying'

const states: Record<AnyState, string> = {
  received: 'Received',
  done: 'Done',
  skipped: 'Skipped',
  dead: 'Dead',
  running: 'Running',
  retrying: 'Failing',
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
}

/** What became of something, in a colour and in a word. */
export function StateMark({ state }: { state: AnyState }) {
  return <State name={state} label={states[state]} />
}
