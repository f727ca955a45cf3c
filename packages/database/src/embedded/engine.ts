import type { PGlite } from '@electric-sql/pglite'
import { markTxSql, type DriverTx, type QueryOptions, type Result } from '../driver.ts'

/**
 * One way to reach the database of a folder: opened in this process, or through the process that
 * has it open. It lasts until that process closes it or ends; then another engine replaces it.
 */
export interface Engine {
  /** Whether notifications are heard: it is open, in this process. */
  isListening(): boolean
  query<Row>(text: string, values: readonly unknown[], options?: QueryOptions): Promise<Result<Row>>
  begin(): Promise<EngineTx>
  /** For pg-boss; without values the text may hold several statements, unless it is repeated. */
  executeSql(
    text: string,
    values?: readonly unknown[],
    options?: Pick<QueryOptions, 'isRepeated'>,
  ): Promise<{ rows: unknown[] }>
  /** Resolves to a function that ends the subscription. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** A transaction of an engine, which ends by a commit alone. */
export interface EngineTx extends Omit<DriverTx, 'query' | 'commit'> {
  query<Row>(
    text: string,
    values: readonly unknown[],
    options?: Pick<QueryOptions, 'isRepeated'>,
  ): Promise<Result<Row>>
  commit(): Promise<void>
}

/** Rejects a call that had no effect because its engine is gone: the next engine can run it. */
export class EngineGone extends Error {
  override readonly name = 'EngineGone'
}

/** One turn with an engine: nobody else uses the engine until the turn is passed on. */
export interface Turn {
  lite: PGlite
  /** Commits the transaction that was begun in this turn. */
  commit(): Promise<void>
  passOn(): Promise<void>
}

/** Begins a transaction in a turn; passes the turn on if that fails. */
export async function beginIn({ lite, passOn }: Turn): Promise<void> {
  try {
    await lite.exec(`begin; ${markTxSql}`)
  } catch (error) {
    await passOn()
    throw error
  }
}
