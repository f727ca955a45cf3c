import type { Tx } from '@feed-receiver/database'
import type { EntryFilter } from '../entry/entry-filter.ts'
import { checkOption, checkTime } from '../errors.ts'
import type { Handlers } from '../handle/handlers.ts'
import { readOptions, type InboxOptions } from '../options.ts'
import type { EffectResult } from './effects.ts'
import type { RehearsedCounts } from './report.ts'

export interface RehearseOptions<AppTx = Tx> extends Pick<
  InboxOptions,
  'database' | 'source' | 'schema'
> {
  /** The handlers to try, as for `inbox.work`. */
  handlers: Handlers<AppTx>
  /**
   * The events to rehearse, as in `inbox.entries.list`.
   * @default all stored events
   */
  filter?: EntryFilter
  /**
   * The maximum number of events, in the order of acceptance.
   * @default all
   */
  limit?: number | undefined
  /**
   * The maximum number of concurrent handlers.
   * @default 4
   */
  concurrency?: number | undefined
  /**
   * The timeout of a handler, in milliseconds. Then its `signal` aborts, and it counts as thrown.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * Rejects `fetch` and new sockets in handlers, and counts those that try as thrown. Statements
   * through `tx` are not affected. Patches `fetch` and `net.Socket` of this process until the end.
   * @default false
   */
  forbidNetwork?: boolean | undefined
  /**
   * Returns the result of `effects.once` for an effect without a stored result. The effect does not
   * run.
   * @default undefined, and an error that follows is reported as possibly caused by it
   */
  effectResult?: EffectResult | undefined
  /** Called after each event with the progress. */
  onProgress?: ((counts: Readonly<RehearsedCounts>) => void) | undefined
  /** Aborts the rehearsal after the running handlers. The report covers the events done. */
  signal?: AbortSignal | undefined
}

/** Fills in and validates the options. Errors: `bad_option`. */
export function readRehearseOptions<AppTx>(options: RehearseOptions<AppTx>) {
  const { database, filter = {}, limit = Infinity, concurrency = 4, timeoutMs = 30_000 } = options
  const { source, schema } = readOptions({
    ...(options.source !== undefined && { source: options.source }),
    ...(options.schema !== undefined && { schema: options.schema }),
  })
  const isCount = limit === Infinity || (Number.isInteger(limit) && limit >= 1)
  checkOption(isCount, 'limit: use a whole number of 1 or more.')
  const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
  checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
  checkTime('timeoutMs', timeoutMs)
  return { ...options, database, source, schema, filter, limit, concurrency, timeoutMs }
}
