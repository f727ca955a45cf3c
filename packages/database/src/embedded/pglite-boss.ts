import type { BossDb, Gate } from '../driver.ts'
import { DatabaseError } from '../errors.ts'
import { EngineGone, type Engine } from './engine.ts'

/**
 * The functions that pg-boss needs of the embedded database: values in the types that it expects,
 * several statements in one text, NOTIFY. `onReopen` calls back with each engine that replaces a
 * lost one, until you call the function that it returns.
 */
export function pgliteBossDb(
  { enter, currentTx }: Gate,
  use: <T>(run: (engine: Engine) => Promise<T>) => Promise<T>,
  onReopen: (callBack: (engine: Engine) => Promise<void>) => () => void,
): BossDb {
  return {
    async executeSql(text, values, options) {
      // Even with { db: tx }, pg-boss looks up a new queue through this object. The transaction has
      // the only connection, so a select runs in it; enter() rejects anything else.
      const tx = currentTx()
      if (tx && /^\s*select\s/i.test(text)) return await tx.executeSql(text, values)
      return await enter(() => use((engine) => engine.executeSql(text, values, options)))
    },
    async listen(channel, onNotification, onReconnect) {
      let unlisten = async () => {}
      let isListening = () => false
      const subscribe = async (engine: Engine) => {
        unlisten = await engine.listen(channel, onNotification)
        isListening = () => engine.isListening()
        onReconnect()
      }
      await enter(() => use(subscribe))
      const forget = onReopen(subscribe)
      return {
        isListening: () => isListening(),
        async close() {
          forget()
          await enter(() => unlisten()).catch(unlessEnded)
        },
      }
    },
    // The one connection belongs to the database.
    close: async () => {},
  }
}

// The subscription has already ended if the database was closed before pg-boss was stopped, or if
// the engine is gone.
function unlessEnded(error: unknown): void {
  const isClosed = error instanceof DatabaseError && error.code === 'closed'
  if (!isClosed && !(error instanceof EngineGone)) throw error
}
