import type { FeedEvent, KnownType } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type { Effects } from './effects.ts'
import { InboxError, problem } from '../errors.ts'
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

/** An event whose `type` is known to be this one. */
export interface EventOf<Type extends string> extends FeedEvent {
  type: Type
}

/** A handler of events of one type, or of any: `Handler<Tx, 'outage_started'>`. */
export type Handler<AppTx = Tx, Type extends string = FeedEvent['type']> = (
  event: EventOf<Type>,
  context: HandlerContext<AppTx>,
) => unknown

/** The types that reach handlers, which test deliveries never do (R214). */
export type HandledType = Exclude<KnownType, 'destination_test'>

/** Handlers by event type. A key that is no event type does not compile. */
export interface Handlers<AppTx = Tx> extends HandlersByType<AppTx> {
  /** Takes every type without a handler of its own. */
  '*'?: Handler<AppTx>
  /**
   * Handlers of types that this version does not know. A type that is known may stand here as well, so
   * that an update which knows it breaks nothing, but not here and beside it.
   */
  futureTypes?: Record<string, Handler<AppTx>>
}

type HandlersByType<AppTx> = { [Type in HandledType]?: Handler<AppTx, Type> }

/**
 * Gives the handler of an event type as a worker would find it, if there is one: for handlers that are
 * replaced while a worker runs, as a development server does. Errors: `bad_handler`.
 */
export function findHandler<AppTx = Tx>(
  handlers: Handlers<AppTx>,
  type: string,
): Handler<AppTx> | undefined {
  return indexHandlers(handlers)(type)
}

/**
 * Makes the function that finds the handler of an event type, if there is one. Later changes of the
 * object do not reach it. A map: a type called `constructor` must not find what every object has.
 * Errors: `bad_handler`.
 */
export function indexHandlers<AppTx>({ futureTypes = {}, ...known }: Handlers<AppTx>) {
  if (typeof futureTypes !== 'object' || futureTypes === null) {
    throw new InboxError('bad_handler', 'futureTypes must be an object of handlers by type.')
  }
  const byType = new Map<string, Handler<AppTx>>()
  const given: [string, unknown][] = [...Object.entries(known), ...Object.entries(futureTypes)]
  for (const [type, handler] of given) {
    if (byType.has(type)) {
      const text = `'${type}' has two handlers, one of them in futureTypes. Remove one of the two.`
      throw new InboxError('bad_handler', text)
    }
    byType.set(type, checked(type, handler))
  }
  return (type: string): Handler<AppTx> | undefined =>
    type === 'destination_test' ? undefined : (byType.get(type) ?? byType.get('*'))
}

function checked<AppTx>(type: string, handler: unknown): Handler<AppTx> {
  if (isHandler<AppTx>(handler)) return handler
  const given = handler === undefined ? 'missing; was its module imported?' : `a ${typeof handler}`
  throw problem('bad_handler', { type, given })
}

/** Which events it takes is for the compiler to hold; each gets those of its own type. */
function isHandler<AppTx>(handler: unknown): handler is Handler<AppTx> {
  return typeof handler === 'function'
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
