import type { FeedEvent, KnownType } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'

export interface HandlerContext {
  /**
   * The transaction in which the entry is marked done: what is written through it happens exactly
   * once, although the handler may run more than once.
   */
  tx: Tx
  /** Aborted when the worker stops, or has lost the entry to another one. */
  signal: AbortSignal
  /** 1 for the first run, one more for each retry. */
  attempt: number
  receivedAt: Date
}

export type Handler = (event: FeedEvent, context: HandlerContext) => unknown

/** Handlers by event type; `'*'` takes every type without one of its own. */
export type Handlers = Partial<Record<KnownType | '*' | (string & {}), Handler>>

/** Finds the handler of an event type, if there is one. Test deliveries never have one (R214). */
export type FindHandler = (type: string) => Handler | undefined

/** Makes the look-up. A map: a type called `constructor` must not find what every object has. */
export function indexHandlers(handlers: Handlers): FindHandler {
  const byType = new Map(Object.entries(handlers))
  return (type) => (type === 'destination_test' ? undefined : (byType.get(type) ?? byType.get('*')))
}
