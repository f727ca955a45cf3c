import { knownTypes } from '@feed-receiver/core'
import { fill } from '../errors.ts'
import json from './type-warnings.json' with { type: 'json' }

const texts = { ...json }
const known: readonly string[] = knownTypes
const warned = new Set<string>()

/**
 * Warns, once in a process, of keys that look like a misspelled type, and of handlers that never run.
 * TypeScript refuses them in a literal; this is for JavaScript, and for objects of a wider type.
 */
export function warnOfTypes({ futureTypes, ...handlers }: { futureTypes?: object }): void {
  for (const type of Object.keys(handlers)) {
    const meant = type === '*' ? undefined : closestTo(type)
    if (meant === 'destination_test') warn('never_runs', { type })
    else if (meant !== undefined && meant !== type) warn('misspelled', { type, meant })
  }
  if (futureTypes && Object.hasOwn(futureTypes, 'destination_test')) {
    warn('never_runs', { type: 'destination_test' })
  }
}

function warn(name: keyof typeof texts, values: Record<'type', string> & { meant?: string }): void {
  if (warned.has(values.type)) return
  warned.add(values.type)
  process.emitWarning(fill(texts[name], values), 'FeedInboxWarning')
}

/** The known type that is meant by a key, if it is close to one: this one itself, of course. */
function closestTo(type: string): string | undefined {
  if (known.includes(type)) return type
  const text = bare(type)
  const [closest] = known
    .map((one) => ({ one, far: distance(text, bare(one)) }))
    .filter(({ far }) => far <= 2)
    .toSorted((one, other) => one.far - other.far)
  return closest?.one
}

/** Without what people spell in several ways. */
function bare(type: string): string {
  return type.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** How many letters have to be put in, taken out or replaced to make one text of the other. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Infinity
  let above = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (let row = 0; row < one.length; row += 1) {
    const current = [row + 1]
    for (let column = 0; column < other.length; column += 1) {
      const replaced = (above[column] ?? 0) + (one[row] === other[column] ? 0 : 1)
      const edited = Math.min(above[column + 1] ?? 0, current[column] ?? 0) + 1
      current.push(Math.min(replaced, edited))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
