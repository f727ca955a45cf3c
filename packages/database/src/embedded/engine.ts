import type { PGlite } from '@electric-sql/pglite'
import type { DriverTx, QueryOptions, Result } from '../driver.ts'

/**
 * The database of a folder, reached in one way: opened in this process, or through the process that has
 * it open. It lasts until that process ends or crashes; another one takes its place then.
 */
export interface Engine {
  query<Row>(text: string, values: readonly unknown[], options?: QueryOptions): Promise<Result<Row>>
  begin(): Promise<DriverTx>
  /** For pg-boss; without values the text may hold several statements. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  /** Resolves to a function that ends the subscription. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Rejects a call that has done nothing, because its engine is gone: the next engine can run it. */
export class EngineGone extends Error {
  override readonly name = 'EngineGone'
}

/** One turn with an engine: nothing else uses it until it is passed on. */
export interface Turn {
  lite: PGlite
  /** Ends the transaction that was begun in this turn. */
  commit(): Promise<void>
  passOn(): Promise<void>
}

/** Begins a transaction in a turn, which is passed on if that fails. */
export async function beginIn({ lite, passOn }: Turn): Promise<void> {
  try {
    await lite.exec('begin')
  } catch (error) {
    await passOn()
    throw error
  }
}
