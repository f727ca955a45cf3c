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

type ReportInputs = Pick<RehearsalReport, 'ended' | 'durationMs' | 'countsRows'>

const maxIds = 5
const maxMessages = 50
const maxKeys = 200

/**
 * Further messages of a type share this one, so that ever-changing messages do not fill the memory.
 */
const otherMessages = 'other errors'
const otherKeys = 'other keys'

/** Adds up the results of events. */
export function createTally() {
  const types = new Map<string, ReturnType<typeof tallyOfType>>()
  const total = noCounts()
  return {
    total,
    add(rehearsed: Rehearsed): void {
      const { type, result } = rehearsed
      const ofType = types.get(type) ?? tallyOfType()
      types.set(type, ofType)
      total.events += 1
      total[result] += 1
      ofType.add(rehearsed)
    },
    report(inputs: ReportInputs, hasNetwork: boolean) {
      const { network, ...others } = limitations
      const ofTypes = [...types].map(([type, ofType]) => ({ type, ...ofType.report() }))
      const report: RehearsalReport = {
        ...total,
        ...inputs,
        types: ofTypes.toSorted(byEvents(({ type }) => type)),
        limitations: [...(hasNetwork ? [network] : []), ...Object.values(others)],
      }
      return report
    },
  }
}

function noCounts(): RehearsedCounts {
  return { events: 0, handled: 0, thrown: 0, skipped: 0, emptied: 0 }
}

function tallyOfType() {
  const counts = noCounts()
  const errors = new Map<string, RehearsedError>()
  const rows = new Map<string, RehearsedRows>()
  const effects = new Map<string, RehearsedEffects>()
  return {
    add(rehearsed: Rehearsed): void {
      const { result, eventId } = rehearsed
      counts.events += 1
      counts[result] += 1
      if (result === 'thrown') addError(rehearsed)
      for (const [table, changed] of rehearsed.rows ?? []) {
        const sum = rows.get(table) ?? { table, inserted: 0, updated: 0, deleted: 0 }
        sum.inserted += changed.inserted
        sum.updated += changed.updated
        sum.deleted += changed.deleted
        rows.set(table, sum)
      }
      for (const [written, answer] of rehearsed.effects ?? []) {
        const own = patternOf(written, eventId)
        const key = effects.has(own) || effects.size < maxKeys ? own : otherKeys
        const sum = effects.get(key) ?? { key, wouldRun: 0, fromLedger: 0 }
        sum[answer === 'ledger' ? 'fromLedger' : 'wouldRun'] += 1
        effects.set(key, sum)
      }
    },
    report: () => ({
      ...counts,
      errors: [...errors.values()].toSorted(byEvents(({ message }) => message)),
      rows: [...rows.values()].toSorted(by(({ table }) => table)),
      effects: [...effects.values()].toSorted(by(({ key }) => key)),
    }),
  }

  function addError({ error, eventId, isDone, effects: asked }: Rehearsed): void {
    const own = messageOf(error, eventId)
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
    if ([...(asked?.values() ?? [])].includes('nowhere')) group.afterEffect += 1
    if (isDone === true) group.handledBefore += 1
    errors.set(message, group)
  }
}

function messageOf(error: unknown, eventId: string): string {
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

function patternOf(key: string, eventId: string): string {
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
