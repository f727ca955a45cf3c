import type * as Inbox from '@feed-receiver/inbox'
import { formatNumber, State, useTick } from '@feed-receiver/page-kit'
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

type AnyState = Inbox.ListedState | Inbox.QuarantineState | 'running'

const states: Record<AnyState, string> = texts.states

/** What became of something, in a colour and in a word. */
export function StateMark({ state }: { state: AnyState }) {
  return <State name={state} label={states[state]} />
}

/** What an entry is at, the same in lists and on its own screen. */
export function stateOf(entry: Pick<Inbox.EntryRow, 'state' | 'isFailing' | 'job'>): AnyState {
  if (entry.isFailing) return 'failing'
  return entry.state === 'received' && entry.job?.state === 'running' ? 'running' : entry.state
}

/** Test deliveries of the service only show that they arrive: no handler ever gets one. */
export function isTest({ type }: Pick<Inbox.EntryRow, 'type'>): boolean {
  return type === 'destination_test'
}

/** A command to copy. */
export function Command({ children }: { children: string }) {
  return <code class="command">{children}</code>
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const absolute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** A moment as people say it, and to the second for whoever points at it. */
export function When({ at }: { at: string }) {
  useTick(5_000)
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(Date.parse(at) - Date.now())}
    </time>
  )
}

/** A moment to the second, in the zone of whoever looks. */
export function formatTime(at: string): string {
  return absolute.format(new Date(at))
}

/** A time as the service says it, which may say anything. */
export function readableTime(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : formatTime(text)
}

/** How long something has lasted. */
export function formatDuration(seconds: number): string {
  const [unit, size] = unitOf(seconds)
  const count = Math.max(0, Math.floor(seconds / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

function formatAgo(differenceMs: number): string {
  const seconds = differenceMs / 1_000
  if (Math.abs(seconds) < 5) return 'just now'
  const [unit, size] = unitOf(Math.abs(seconds))
  return relative.format(Math.trunc(seconds / size), unit)
}

function unitOf(seconds: number): [Intl.RelativeTimeFormatUnit, number] {
  return units.find(([, length]) => seconds >= length) ?? ['second', 1]
}
