import { knownTypes } from '@feed-receiver/core'
import { closestTo } from '../entry/closest.ts'
import { fill } from '../errors.ts'
import json from './type-warnings.json' with { type: 'json' }

const texts = { ...json }
const warned = new Set<string>()

/**
 * Warns, once per process, of keys that look like a misspelled type, and of handlers that never
 * run. TypeScript rejects them in a literal. This is for JavaScript, and for objects of a wider
 * type.
 */
export function warnOfTypes({ futureTypes, ...handlers }: { futureTypes?: object }): void {
  for (const type of Object.keys(handlers)) {
    const meant = type === '*' ? undefined : closestTo(type, knownTypes)
    if (meant === 'destination_test') warn('never_runs', { type })
    else if (meant !== undefined && meant !== type) warn('misspelled', { type, meant })
  }
  if (futureTypes && Object.hasOwn(futureTypes, 'destination_test')) {
    warn('never_runs', { type: 'destination_test' })
  }
}

/**
 * Warns, once per process, of priorities whose type looks misspelled: they would have no effect.
 */
export function warnOfPriorities(priority: Readonly<Record<string, number>>): void {
  for (const type of Object.keys(priority)) {
    const meant = closestTo(type, knownTypes)
    if (meant !== undefined && meant !== type) warn('no_priority', { type, meant })
  }
}

/** Warns once per process with a text of `type-warnings.json`. */
export function warn(name: keyof typeof texts, values: Record<string, unknown>): void {
  const text = fill(texts[name], values)
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, 'FeedInboxWarning')
}
