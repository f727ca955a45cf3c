import type * as Inbox from '@feed-receiver/inbox'
import { formatNumber, State } from '@feed-receiver/page-kit'
import texts from './texts.json' with { type: 'json' }

/** A count, with a plus if there are more than were counted. */
export function formatCount({ count, isExact }: Inbox.BoundedCount): string {
  return `${formatNumber(count)}${isExact ? '' : '+'}`
}

/** What a version of an event is to the one before, in words. */
export const changes: Record<Inbox.Change, string> = texts.changes

/** What a stream of the pull API is at, in a word and in the tone of a state. */
export const phases: Record<Inbox.StreamPhase, { word: string; tone: string }> = texts.phases

/** Why nothing is read from a stream, and what to do about it. */
export const causes = new Map(Object.entries(texts.causes))

/** Why deliveries are set aside, and what releasing does where it can be. All were signed. */
export const reasons: Record<
  Inbox.QuarantinedRow['reason'],
  { title: string; says: string; release: string | null }
> = texts.reasons

/** What can be done without a mouse. */
export const keys = Object.entries(texts.keys)

type AnyState = Inbox.EntryState | Inbox.QuarantineState | 'running' | 'retrying'

export const states: Record<AnyState, string> = texts.states

/** What became of something, in a colour and in a word. */
export function StateMark({ state }: { state: AnyState }) {
  return <State name={state} label={states[state]} />
}
