import type { FeedEvent } from '@feed-receiver/core'
import { findHandler, type Handler, type Handlers } from '@feed-receiver/inbox'
import { readEntry, withTimeout } from '@feed-receiver/inbox/internal'
import { OperateError } from '../errors.ts'
import { fakeEffects, type AskedEffects } from './fake-effects.ts'
import { rehearsalLeft, type RowCounts } from './guard.ts'
import type { Network } from './network.ts'
import type { StoredEvent } from './stored-events.ts'
import { rolledBack, type Opened, type Transactions } from './transactions.ts'

/** The result of one event. */
export interface Rehearsed extends Partial<Omit<Ended, 'result'>> {
  type: string
  eventId: string
  /** Whether it was handled before. */
  isDone?: boolean
  result: 'handled' | 'thrown' | 'skipped' | 'emptied'
}

/** How a handler ended. */
export interface Ended {
  result: 'handled' | 'thrown'
  /** The error that it threw. */
  error?: unknown
  /** The number of rows that a commit would have changed, by table. */
  rows?: ReadonlyMap<string, RowCounts>
  effects?: AskedEffects
  /** Whether it still runs, in a transaction that cannot be closed under it. */
  isStuck?: boolean
}

export interface RehearsalContext<AppTx> {
  handlers: Handlers<AppTx>
  transactions: Transactions<AppTx>
  network: Network
  timeoutMs: number
  effectResult?: EffectResult | undefined
}

/**
 * Creates the function that runs the handler of one event in its own transaction, and rolls it
 * back. Errors: `rehearsal_left`, `rehearsal_kept`.
 */
export function createRehearsal<AppTx>(context: RehearsalContext<AppTx>) {
  const { handlers, transactions, network, timeoutMs, effectResult } = context

  return async (stored: StoredEvent): Promise<Rehearsed> => {
    const event = readEntry(stored)
    const { eventId, state } = stored
    const about = { type: event?.type ?? stored.type, eventId, isDone: state === 'done' }
    if (!event) return { ...about, result: 'emptied' }
    const handler = findHandler(handlers, event.type)
    if (!handler) return { ...about, result: 'skipped' }

    let onStuck: (ended: Ended) => void = () => {}
    const stuck = new Promise<Ended>((resolve) => (onStuck = resolve))
    const running = rolledBack(transactions, event.id, (opened) =>
      handleIn(opened, handler, event, stored, onStuck),
    )
    // A transaction that does not begin fails a real run as well.
    return { ...about, result: 'thrown', ...(await Promise.race([running, stuck])) }
  }

  async function handleIn(
    opened: Opened<AppTx>,
    handler: Handler<AppTx>,
    event: FeedEvent,
    { results, receivedAt, via, change, revision }: StoredEvent,
    onStuck: (ended: Ended) => void,
  ): Promise<Ended> {
    const { tx, isBegun } = opened
    const fake = effectResult && ((key: string) => () => effectResult(key, event))
    const { effects, asked } = fakeEffects(results, isBegun, fake)
    const ending = new AbortController()
    const { signal } = ending
    const late = () => {
      const seconds = timeoutMs / 1_000
      const error = new Error(`timed out: the handler was still running after ${seconds} s`)
      ending.abort(error)
      return error
    }
    const rejected: Error[] = []
    // As on the first delivery, whatever the state of the entry.
    const first = { attempt: 1, reprocess: false }
    const forHandler = { tx, effects, signal, ...first, receivedAt, via, change, revision }
    const handling = network.inHandler(
      rejected,
      async () => void (await handler(event, forHandler)),
    )
    const failure = await withTimeout(handling, timeoutMs, late).catch((error: unknown) => ({
      error,
    }))
    if (signal.aborted && !transactions.canBeTakenBack) {
      onStuck({ result: 'thrown', ...failure, effects: asked, isStuck: true })
      await handling.catch(() => undefined)
    }
    // Even if a handler catches the rejection, it did not get its response.
    const [rejection] = rejected
    const checked = await checkTransaction(
      opened,
      event,
      rejection ? { error: rejection } : failure,
    )
    return { ...checked, effects: asked }
  }
}

/** Checks the transaction after a handler. Errors: `rehearsal_left`. */
async function checkTransaction<AppTx>(
  { guard }: Opened<AppTx>,
  { type, id }: FeedEvent,
  failure: { error: unknown } | void,
): Promise<Ended> {
  // A transaction that could not begin holds nothing, and its handler got the error.
  const opened = await guard()?.catch(() => undefined)
  if (failure) {
    if (opened && !(await opened.isHeld())) throw rehearsalLeft(type, id)
    return { result: 'thrown', error: failure.error }
  }
  try {
    const rows = await opened?.finish({ type, id })
    return { result: 'handled', ...(rows && { rows }) }
  } catch (error) {
    if (error instanceof OperateError && error.code === 'rehearsal_left') throw error
    return { result: 'thrown', error }
  }
}

/** Returns the result of an effect, which is not run. */
export type EffectResult = (key: string, event: FeedEvent) => unknown
