import { isError, knownTypes, recognizeCopies } from '@feed-receiver/core/internal'
import type { FeedEvent, KnownType } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import type { Effects } from './effects.ts'
import { checkOption, InboxError } from '../errors.ts'
import type { Change } from '../entry/change.ts'
import { didYouMean } from '../closest.ts'
import type { Limits } from '../queue/queue.ts'

export interface HandlerContext<AppTx = Tx> {
  /**
   * The transaction that marks the entry as done. Writes through it happen exactly once, although
   * the handler may run more than once.
   */
  tx: AppTx
  /** Runs effects outside this database: each runs once, and its result is stored. */
  effects: Effects
  /**
   * Aborts when the stop timeout is nearly over, or when another worker has taken over the entry.
   */
  signal: AbortSignal
  /** 1 for the first run, one more for each retry. */
  attempt: number
  receivedAt: Date
  /** The source of this content: a signed delivery, or the pull API. */
  via: 'push' | 'pull'
  /**
   * How this content relates to what the handler was given before: `new`, or a `correction`,
   * `retraction` or `confirmation` of it. An event that is already retracted when first seen is a
   * `retraction`.
   */
  change: Change
  /** 1 for the first content of an event, one more for each change. */
  revision: number
  /**
   * Whether somebody asked to handle this event again after it was done or skipped. Retries of this
   * run keep the value.
   */
  reprocess: boolean
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

/** The types that reach handlers. Test deliveries never do. */
export type HandledType = Exclude<KnownType, 'destination_test'>

/** Handlers by event type. A key that is no event type does not compile. */
export interface Handlers<AppTx = Tx> extends HandlersByType<AppTx> {
  /** Handles every type without a handler of its own. */
  '*'?: Handler<AppTx>
  /**
   * Handlers of types that this version does not know. A known type is allowed here too, so that an
   * upgrade that adds it breaks nothing. A type must not have a handler both here and beside it.
   */
  futureTypes?: Record<string, Handler<AppTx>>
}

type HandlersByType<AppTx> = { [Type in HandledType]?: Handler<AppTx, Type> }

/**
 * Returns the handler of an event type as a worker would find it, if there is one: for handlers
 * that are replaced while a worker runs, such as by a development server. Errors: `bad_handler`.
 */
export function findHandler<AppTx = Tx>(
  handlers: Handlers<AppTx>,
  type: string,
): Handler<AppTx> | undefined {
  return indexHandlers(handlers)(type)
}

/** Looks up the handler of an event type. */
export type FindHandler<AppTx> = (type: string) => Handler<AppTx> | undefined

/**
 * Creates the lookup of handlers by event type. Later changes of the object have no effect. A map,
 * because a type called `constructor` must not find a member of `Object.prototype`. Errors:
 * `bad_handler`.
 */
export function indexHandlers<AppTx>({
  futureTypes = {},
  ...known
}: Handlers<AppTx>): FindHandler<AppTx> {
  if (typeof futureTypes !== 'object' || futureTypes === null) {
    throw new InboxError('bad_handler', 'futureTypes: use an object of handlers by type.')
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
  return (type) => (type === 'destination_test' ? undefined : (byType.get(type) ?? byType.get('*')))
}

function checked<AppTx>(type: string, handler: unknown): Handler<AppTx> {
  if (isHandler<AppTx>(handler)) return handler
  const given =
    handler === undefined ? 'undefined: check that its module is imported' : `a ${typeof handler}`
  throw new InboxError(
    'bad_handler',
    `The handler of '${type}' must be a function, but it is ${given}. Pass a function, or remove the type.`,
  )
}

/** The compiler checks which events it takes. Each handler gets only those of its own type. */
function isHandler<AppTx>(handler: unknown): handler is Handler<AppTx> {
  return typeof handler === 'function'
}

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
      const guess = didYouMean(type, named)
      throw new InboxError(
        'unknown_limit',
        `limits.${type}: the service documents no such type, and it has no handler of its own.${guess} Correct the name, or add a handler for the type.`,
      )
    }
    read.set(type, Number(count))
  }
  return read
}

/** Throw it from a handler if a retry cannot help: the entry is dead-lettered at once. */
export class Permanent extends Error {
  static {
    recognizeCopies(this, 'Permanent')
  }

  override name = 'Permanent'
}

/** Throw it from a handler to choose the time of the next attempt instead of the backoff. */
export class RetryAfter extends Error {
  static {
    recognizeCopies(this, 'RetryAfter')
  }

  override name = 'RetryAfter'
  /** Between now and a day from now. */
  readonly seconds: number

  /**
   * @param when Seconds from now, a time, or the text of a `Retry-After` header. Anything else
   *   throws `bad_option`, which a handler passes on, so that the backoff applies.
   * @param message The reason, for people. Without one, the message of the `cause` is part of it.
   */
  constructor(when: number | Date | string, message?: string, options?: ErrorOptions) {
    super(message ?? reasonOf(options?.cause), options)
    this.seconds = Math.min(Math.max(secondsUntil(when), 0), maxSeconds)
  }
}

function reasonOf(cause: unknown): string {
  return isError(cause)
    ? `The handler asked for a later retry: ${cause.message}`
    : 'The handler asked for a later retry without a reason. Pass one: new RetryAfter(when, reason).'
}

const maxSeconds = 86_400

function secondsUntil(when: unknown): number {
  const seconds = isDelay(when) ? Number(when) : (timeOf(when) - Date.now()) / 1_000
  const given = typeof when === 'string' ? `'${when.slice(0, 100)}'` : String(when)
  checkOption(
    !Number.isNaN(seconds),
    `RetryAfter: use seconds, a Date or the text of a Retry-After header, not ${given}.`,
  )
  return seconds
}

function isDelay(when: unknown): boolean {
  return typeof when === 'number' || (typeof when === 'string' && /^\s*\d+\s*$/.test(when))
}

// Only complete times, because Date.parse would read a cut one as a time in the past.
const completeTime = /^(?:\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\d{4}-\d{2}-\d{2}T.*)$/

function timeOf(when: unknown): number {
  if (when instanceof Date) return when.getTime()
  return typeof when === 'string' && completeTime.test(when) ? Date.parse(when) : Number.NaN
}
