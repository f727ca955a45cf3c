import type { FeedEvent, KnownType } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type { Effects } from './effects.ts'
import { problem } from '../errors.ts'
import type { Change } from '../entry/change.ts'

export interface HandlerContext<AppTx = Tx> {
  /**
   * The transaction in which the entry is marked done: what is written through it happens exactly
   * once, although the handler may run more than once.
   */
  tx: AppTx
  /** For what happens outside this database: done once, noted, and not done again. */
  effects: Effects
  /** Aborted when the inbox has waited long enough to stop, or has lost the entry to another worker. */
  signal: AbortSignal
  /** 1 for the first run, one more for each retry. */
  attempt: number
  receivedAt: Date
  /** How this content came: signed, or read from the pull API. */
  via: 'push' | 'pull'
  /**
   * What it is to this handler: `new`, or a `correction`, `retraction` or `confirmation` of what it
   * was given before. An event that is retracted by the time it is first seen is a `retraction`.
   */
  change: Change
  /** 1 for the first content of an event, one more for each change. */
  revision: number
  /**
   * Whether somebody asked for this event to be handled again, after it was done or skipped. It stays
   * so for retries of this run.
   */
  replay: boolean
}

export type Handler<AppTx = Tx> = (event: FeedEvent, context: HandlerContext<AppTx>) => unknown

/** Handlers by event type; `'*'` takes every type without one of its own. */
export type Handlers<AppTx = Tx> = Partial<Record<KnownType | '*' | (string & {}), Handler<AppTx>>>

/**
 * Makes the function that finds the handler of an event type, if there is one; test deliveries never
 * have one (R214). Later changes of the object do not reach it. A map: a type called `constructor` must
 * not find what every object has. Errors: `bad_handler`.
 */
export function indexHandlers<AppTx>(handlers: Handlers<AppTx>) {
  const byType = new Map(Object.entries(handlers))
  for (const [type, handler] of byType) {
    if (typeof handler === 'function') continue
    const given =
      handler === undefined ? 'missing; was its module imported?' : `a ${typeof handler}`
    throw problem('bad_handler', { type, given })
  }
  return (type: string): Handler<AppTx> | undefined =>
    type === 'destination_test' ? undefined : (byType.get(type) ?? byType.get('*'))
}

/** Thrown by a handler: another try cannot help, so the entry is dead at once. */
export class Permanent extends Error {
  override name = 'Permanent'
}

/** Thrown by a handler: the next try is due then, and not when the backoff would have it. */
export class RetryAfter extends Error {
  override name = 'RetryAfter'
  /** Between now and a day from now. */
  readonly seconds: number

  /** @param when seconds from now, or a time. */
  constructor(when: number | Date, message?: string, options?: ErrorOptions) {
    super(message ?? 'The handler asked for a later try.', options)
    const seconds = typeof when === 'number' ? when : (when.getTime() - Date.now()) / 1_000
    this.seconds = Math.min(Math.max(Number.isNaN(seconds) ? 0 : seconds, 0), maxSeconds)
  }
}

const maxSeconds = 86_400
