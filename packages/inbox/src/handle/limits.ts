import { knownTypes, type KnownType } from '@feed-receiver/core'
import { nearestTo } from '../entry/nearest.ts'
import { checkOption, problem } from '../errors.ts'
import type { Limits } from '../queue/queue.ts'

/** How many handlers of a type may run at once, in all processes together. */
export type HandlerLimits = Partial<Record<KnownType | (string & {}), { concurrency: number }>>

/**
 * Checks the limits of handlers. A type must be one that the service documents or have a handler of
 * its own: a mistyped one would limit nothing. Errors: `bad_option`, `unknown_type`.
 */
export function readLimits(limits: HandlerLimits = {}, handlers: object): Limits {
  const types = new Set<string>([...knownTypes, ...Object.keys(handlers)])
  types.delete('*')
  const read = new Map<string, number>()
  for (const [type, limit] of Object.entries(limits)) {
    const count: unknown = limit?.concurrency
    const isFine = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 1_000
    checkOption(isFine, `limits.${type}.concurrency: use a whole number from 1 to 1,000.`)
    if (!types.has(type)) {
      const guess = nearestTo(type, [...types])
      throw problem('unknown_limit', { type, guess })
    }
    read.set(type, Number(count))
  }
  return read
}
