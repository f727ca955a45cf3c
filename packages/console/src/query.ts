import {
  entryStates,
  quarantineStates,
  type EntryFilter,
  type QuarantineState,
} from '@feed-receiver/inbox'
import { Refusal } from './refusal.ts'

/** What a URL or a body says, by name; empty is the same as not there. */
export type Say = (name: string) => string | undefined

const gapKinds = ['missed', 'pull_only'] as const

/** Reads a filter of entries. */
export function readFilter(say: Say): EntryFilter {
  return {
    provider: say('provider'),
    type: say('type'),
    category: say('category'),
    subject: say('subject'),
    state: oneOf('state', entryStates, say('state')),
    since: say('since'),
    until: say('until'),
    search: say('search'),
  }
}

/** Reads a state of quarantine. */
export function readQuarantineState(say: Say): QuarantineState | undefined {
  return oneOf('state', quarantineStates, say('state'))
}

/** Reads which gaps are asked for. */
export function readGapKind(say: Say): (typeof gapKinds)[number] {
  return oneOf('kind', gapKinds, say('kind')) ?? 'missed'
}

/** Reads where a page begins and how long it may be. */
export function readPage(say: Say): { after: number | undefined; limit: number } {
  return {
    after: readNumber('after', say('after')),
    limit: readNumber('limit', say('limit')) ?? 50,
  }
}

/** Reads a whole number. */
export function readNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw new Refusal(400, 'bad_option', `${name}: use a whole number.`)
}

/** Says what a query string says; PostgreSQL knows no NUL, so nothing that has one is found. */
export function sayOf(parameters: URLSearchParams): Say {
  return (name) => clean(parameters.get(name))
}

/** Says the texts of an object. */
export function sayIn(object: unknown): Say {
  const members = new Map(Object.entries(typeof object === 'object' && object ? object : {}))
  return (name) => clean(members.get(name))
}

function clean(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.toWellFormed().replaceAll('\0', '\ufffd')
}

function oneOf<Value extends string>(
  name: string,
  known: readonly Value[],
  value: string | undefined,
): Value | undefined {
  if (value === undefined) return undefined
  const found = known.find((one) => one === value)
  if (found !== undefined) return found
  throw new Refusal(400, 'bad_option', `${name}: use one of ${known.join(', ')}.`)
}
