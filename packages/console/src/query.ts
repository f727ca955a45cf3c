import { entryStates, type EntryFilter } from '@feed-receiver/inbox'
import { Refusal } from './refusal.ts'

/** What a URL or a body says, by name; empty is the same as not there. */
export type Say = (name: string) => string | undefined

/** Reads a filter of entries. */
export function readFilter(say: Say): EntryFilter {
  return {
    provider: say('provider'),
    type: say('type'),
    category: say('category'),
    subject: say('subject'),
    state: readOneOf('state', entryStates, say),
    since: say('since'),
    until: say('until'),
    search: say('search'),
  }
}

/** Reads where a page begins and how long it may be. */
export function readPage(say: Say) {
  return { after: readNumber('after', say), limit: readNumber('limit', say) ?? 50 }
}

export function readNumber(name: string, say: Say): number | undefined {
  const value = say(name)
  if (value === undefined) return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw new Refusal(400, 'bad_option', `${name}: use a whole number.`)
}

export function readOneOf<const Value extends string>(
  name: string,
  known: readonly Value[],
  say: Say,
): Value | undefined {
  const value = say(name)
  const found = known.find((one) => one === value)
  if (found !== undefined || value === undefined) return found
  throw new Refusal(400, 'bad_option', `${name}: use one of ${known.join(', ')}.`)
}

/** Says the texts of an object. PostgreSQL knows no NUL, so nothing that has one is found. */
export function sayFrom(said: object): Say {
  return (name) => {
    const value: unknown = Reflect.get(said, name)
    if (typeof value !== 'string' || value === '') return undefined
    return value.toWellFormed().replaceAll('\0', '\ufffd')
  }
}
