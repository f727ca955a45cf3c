import { codeOf, isError, withoutSecrets } from '@feed-receiver/core/internal'
import type { Rehearsed } from './rehearse-event.ts'
import type { RehearsalReport, RehearsedCounts, RehearsedEffects } from './report.ts'
import type { RehearsedError, RehearsedRows } from './report.ts'

/** What a rehearsal cannot prevent or see. */
const limitations = {
  network:
    'Network calls outside of effects.once really happened, because this rehearsal does not forbid them.',
  outside:
    'Writes through another connection than tx, into a file or in a child process really happened.',
  sequences:
    'Values that handlers took from sequences stay used, and session locks (pg_advisory_lock) are held until the connection closes.',
  alone:
    'Each event was handled alone, against the current rows: it did not see what earlier events would have written.',
  rows: 'Rows that truncate or a schema change removes are not counted, and callbacks of tx.afterCommit did not run.',
}

const maxIds = 5
const maxMessages = 50
const maxKeys = 200

/**
 * Further messages of a type share this one, so that ever-changing messages do not fill the memory.
 */
const otherMessages = 'other errors'
const otherKeys = 'other keys'

/** The sums over the events so far, in all and by type. */
export interface Tally {
  total: RehearsedCounts
  types: Map<string, TypeTally>
}

interface TypeTally {
  counts: RehearsedCounts
  errors: Map<string, RehearsedError>
  rows: Map<string, RehearsedRows>
  effects: Map<string, RehearsedEffects>
}

export function emptyTally(): Tally {
  return { total: noCounts(), types: new Map() }
}

function noCounts(): RehearsedCounts {
  return { events: 0, handled: 0, thrown: 0, skipped: 0, emptied: 0 }
}

/** Adds the result of one event. */
export function addTo({ total, types }: Tally, rehearsed: Rehearsed): void {
  const { type, result, eventId } = rehearsed
  const ofType: TypeTally = types.get(type) ?? {
    counts: noCounts(),
    errors: new Map(),
    rows: new Map(),
    effects: new Map(),
  }
  types.set(type, ofType)
  for (const counts of [total, ofType.counts]) {
    counts.events += 1
    counts[result] += 1
  }
  if (result === 'thrown') addError(ofType.errors, rehearsed)
  for (const [table, changed] of rehearsed.rows ?? []) {
    const sum = ofType.rows.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 }
    sum.inserted += changed.inserted
    sum.updated += changed.updated
    sum.deleted += changed.deleted
    ofType.rows.set(table, sum)
  }
  const { effects } = ofType
  for (const [written, answer] of rehearsed.effects ?? []) {
    const own = maskedKey(written, eventId)
    const key = effects.has(own) || effects.size < maxKeys ? own : otherKeys
    const sum = effects.get(key) ?? { key, wouldRun: 0, fromLedger: 0 }
    sum[answer === 'ledger' ? 'fromLedger' : 'wouldRun'] += 1
    effects.set(key, sum)
  }
}

function addError(errors: TypeTally['errors'], rehearsed: Rehearsed): void {
  const { error, eventId, isDone, effects } = rehearsed
  const own = maskedMessage(error, eventId)
  const message = errors.has(own) || errors.size < maxMessages ? own : otherMessages
  const group: RehearsedError = errors.get(message) ?? {
    message,
    code: codeOf(error) ?? null,
    at: positionOf(error),
    events: 0,
    eventIds: [],
    afterEffect: 0,
    handledBefore: 0,
  }
  group.events += 1
  if (group.eventIds.length < maxIds) group.eventIds.push(eventId)
  if ([...(effects?.values() ?? [])].includes('nowhere')) group.afterEffect += 1
  if (isDone === true) group.handledBefore += 1
  errors.set(message, group)
}

/** Writes the report. */
export function reportOf(
  { total, types }: Tally,
  inputs: Pick<RehearsalReport, 'ended' | 'durationMs' | 'countsRows'>,
  hasNetwork: boolean,
): RehearsalReport {
  const { network, ...others } = limitations
  const ofTypes = [...types].map(([type, { counts, errors, rows, effects }]) => ({
    type,
    ...counts,
    errors: [...errors.values()].toSorted(byEvents(({ message }) => message)),
    rows: [...rows.values()].toSorted(by(({ table }) => table)),
    effects: [...effects.values()].toSorted(by(({ key }) => key)),
  }))
  return {
    ...total,
    ...inputs,
    types: ofTypes.toSorted(byEvents(({ type }) => type)),
    limitations: [...(hasNetwork ? [network] : []), ...Object.values(others)],
  }
}

function maskedMessage(error: unknown, eventId: string): string {
  const text = isError(error) ? `${error.name}: ${error.message}` : String(error)
  return withoutSecrets(text).replaceAll(eventId, '<id>').slice(0, 500)
}

/** The first position in a stack that is neither in Node nor in a package. */
function positionOf(error: unknown): string | null {
  const stack = isError(error) ? (error.stack ?? '') : ''
  const positions = [...stack.matchAll(/^ {4}at (?:.* \()?(?:async )?(.+:\d+:\d+)\)?$/gm)]
  const found = positions.map(([, position = '']) => position)
  return (
    found.find(
      (position) => !/^node:|[\\/]node_modules[\\/]/.test(position) && !isOurs(position),
    ) ?? null
  )
}

/** Whether a position is in this package, which may be linked into a project. */
function isOurs(position: string): boolean {
  return position.startsWith(ownFolder.href) || position.startsWith(ownFolder.pathname)
}

const ownFolder = new URL('../', import.meta.url)

function maskedKey(key: string, eventId: string): string {
  return key
    .replaceAll(eventId, '<id>')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+/gi, '#')
    .slice(0, 200)
}

function by<Row>(name: (row: Row) => string) {
  return (one: Row, other: Row): number => (name(one) < name(other) ? -1 : 1)
}

/** The most frequent first. */
function byEvents<Row extends { events: number }>(name: (row: Row) => string) {
  return (one: Row, other: Row): number => other.events - one.events || by(name)(one, other)
}
