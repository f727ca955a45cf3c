import type { ExecProtocolResult } from '@electric-sql/pglite'
import type { PgliteModule } from './pglite-fault.ts'
import type { Rank } from './turns.ts'

/**
 * Where statements run: each in a turn of its own, or all in one transaction. It takes messages of
 * the PostgreSQL protocol, and returns the answers, errors of statements included.
 */
export interface Session {
  readonly pglite: PgliteModule
  /** The texts of the statements whose plans it has. Without it, no plan outlasts a statement. */
  readonly prepared?: Set<string>
  /**
   * Sends a message, which is made in its turn, because earlier turns decide which plans exist.
   * Rejects if the engine cannot run it. Only an engine regards the rank.
   */
  send(make: () => Uint8Array, rank?: Rank): Promise<ExecProtocolResult>
}

/**
 * One way to reach the database of a folder: opened in this process, or through the process that
 * has it open. It lasts until that process closes it or ends; then another engine replaces it.
 */
export interface Engine extends Session {
  /** Whether notifications are heard: it is open, in this process. */
  isListening(): boolean
  /** Waits for a turn that lasts for several messages. */
  takeTurn(rank?: Rank): Promise<Turn>
  /** Resolves to a function that ends the subscription. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    rank?: Rank,
  ): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** One turn with an engine: nobody else uses the engine until the turn is passed on. */
export interface Turn extends Session {
  /** Sends a last message, if there is one, and passes the turn on. Rolls back an open transaction. */
  passOn(last?: Uint8Array): Promise<ExecProtocolResult | undefined>
}

/** Rejects a call that had no effect because its engine is gone: the next engine can run it. */
export class EngineGone extends Error {
  override readonly name = 'EngineGone'
}
