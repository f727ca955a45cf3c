import type { Tx } from '@feed-receiver/database'
import type { EntryFilter } from '../entry/entry-filter.ts'
import { checkOption, checkTime } from '../errors.ts'
import type { Handlers } from '../handle/handlers.ts'
import { readOptions, type InboxOptions } from '../inbox-options.ts'
import type { EffectResult } from './effects.ts'
import type { RehearsedCounts } from './report.ts'

export interface RehearseOptions<AppTx = Tx> extends Pick<
  InboxOptions,
  'database' | 'source' | 'schema'
> {
  /** What to try: as for `inbox.work`. */
  handlers: Handlers<AppTx>
  /**
   * Which events, as in `inbox.entries.list`.
   * @default all that are stored
   */
  filter?: EntryFilter
  /**
   * How many events at most, the first ones that were accepted.
   * @default all
   */
  limit?: number | undefined
  /**
   * How many handlers may run at once.
   * @default 4
   */
  concurrency?: number | undefined
  /**
   * How long a handler may take, in milliseconds. Then its `signal` aborts, and it counts as thrown.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * Refuses handlers `fetch` and new sockets, and counts those that try as thrown. What runs through
   * `tx` is not affected. It changes `fetch` and `net.Socket` of this process until the end.
   * @default false
   */
  forbidNetwork?: boolean | undefined
  /**
   * What `effects.once` gives for an effect whose outcome is not in the ledger, and which is not run.
   * @default undefined, and an error that follows is reported as one that may come from it
   */
  effectResult?: EffectResult | undefined
  /** Told after each event how far it is. */
  onProgress?: ((counts: Readonly<RehearsedCounts>) => void) | undefined
  /** Ends it after the handlers that run, once aborted; the report has what was done. */
  signal?: AbortSignal | undefined
}

/** Fills in the defaults, and checks them. Errors: `bad_option`. */
export function readRehearseOptions<AppTx>(options: RehearseOptions<AppTx>) {
  const { database, filter = {}, limit = Infinity, concurrency = 4, timeoutMs = 30_000 } = options
  const { source, schema } = readOptions({
    ...(options.source !== undefined && { source: options.source }),
    ...(options.schema !== undefined && { schema: options.schema }),
  })
  const isCount = limit === Infinity || (Number.isInteger(limit) && limit >= 1)
  checkOption(isCount, 'limit: use a whole number from 1 up.')
  const isFine = Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000
  checkOption(isFine, 'concurrency: use a whole number from 1 to 1,000.')
  checkTime('timeoutMs', timeoutMs)
  return { ...options, database, source, schema, filter, limit, concurrency, timeoutMs }
}
