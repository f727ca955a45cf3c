import type * as Inbox from '@feed-receiver/inbox'
import {
  Untrusted,
  formatAhead,
  formatDuration,
  formatNumber,
  State,
  useTick,
  type Choice,
} from '@feed-receiver/page-kit'

/** A count, with a plus if there are more than were counted. */
export function formatCount({ count, isExact }: Inbox.BoundedCount): string {
  return `${formatNumber(count)}${isExact ? '' : '+'}`
}

/** An age in whole seconds and larger units, at least one second. */
export function formatAge(seconds: number): string {
  return formatDuration(Math.max(1, Math.floor(seconds)) * 1_000)
}

/** How a version of an event differs from the one before, in words. */
export const changes: Record<Inbox.Change, string> = {
  new: 'changed before it was handled',
  correction: 'corrected',
  retraction: 'retracted',
  confirmation: 'confirmed',
}

/** The lengths of time that a screen can show, in hours. */
export const lengths: readonly Choice[] = [
  ['6', '6 hours'],
  ['24', '24 hours'],
  ['168', '7 days'],
]

const sendCommand = 'npx feed-receiver send model_release --to http://localhost:3000/webhooks/feed'

/** Why there are no events, and how to send one. */
export function NoEvents({ why }: { why: string }) {
  return (
    <>
      <p>{why} New ones appear here live.</p>
      <p>Send one to the address of your receiver:</p>
      <Command>{sendCommand}</Command>
    </>
  )
}

type AnyState = Inbox.ListedState | Inbox.QuarantineState | 'running'

const states: Record<AnyState, string> = {
  received: 'Received',
  done: 'Done',
  skipped: 'Skipped',
  dead: 'Dead',
  running: 'Running',
  failing: 'Failing',
  open: 'Open',
  released: 'Released',
  discarded: 'Discarded',
}

export function StateMark({ state }: { state: AnyState }) {
  return <State name={state} label={states[state]} />
}

/** The state of an entry, the same in lists and on its own screen. */
export function stateOf(entry: Pick<Inbox.EntryRow, 'state' | 'isFailing' | 'job'>): AnyState {
  if (entry.isFailing) return 'failing'
  return entry.state === 'received' && entry.job?.state === 'running' ? 'running' : entry.state
}

/** Whether an entry is a test delivery of the service, which reaches no handler. */
export function isTest({ type }: Pick<Inbox.EntryRow, 'type'>): boolean {
  return type === 'destination_test'
}

/** A foreign id. */
export function Id({ text }: { text: string }) {
  return (
    <code>
      <Untrusted text={text} />
    </code>
  )
}

export function Command({ children }: { children: string }) {
  return <code class="command">{children}</code>
}

const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })

/** A relative time, with the exact time on hover. */
export function When({ at }: { at: string }) {
  useTick(5_000)
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAhead(Date.parse(at) - Date.now())}
    </time>
  )
}

/** A time to the second with its zone, which is that of the user. */
export function formatTime(at: string): string {
  return absolute.format(new Date(at))
}

/** Formats a time from the service, or returns the text if it is no time. */
export function readableTime(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : formatTime(text)
}
