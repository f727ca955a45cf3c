import { knownTypes } from '@feed-receiver/core'
import { didYouMean } from '../entry/closest.ts'
import { checkOption, problem } from '../errors.ts'
import type { Limits } from '../queue/queue.ts'
import type { HandledType } from './handlers.ts'

/** The maximum number of concurrent handlers of a type, across all processes. */
export type HandlerLimits = Partial<Record<HandledType | (string & {}), { concurrency: number }>>

/**
 * Checks the limits of handlers. A type must be documented by the service or have a handler of its
 * own, because a mistyped one would limit nothing. Errors: `bad_option`, `unknown_limit`.
 */
export function readLimits(
  limits: HandlerLimits = {},
  { futureTypes = {}, ...handlers }: { futureTypes?: object },
): Limits {
  const types = [...knownTypes, ...Object.keys(handlers), ...Object.keys(futureTypes)]
  const named = types.filter((type) => type !== '*')
  const read = new Map<string, number>()
  for (const [type, limit] of Object.entries(limits)) {
    const count: unknown = limit?.concurrency
    const isFine = Number.isInteger(count) && Number(count) >= 1 && Number(count) <= 1_000
    checkOption(isFine, `limits.${type}.concurrency: use a whole number from 1 to 1,000.`)
    if (!named.includes(type)) {
      throw problem('unknown_limit', { type, guess: didYouMean(type, named) })
    }
    read.set(type, Number(count))
  }
  return read
}
