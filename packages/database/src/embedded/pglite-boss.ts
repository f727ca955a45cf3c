import type { BossDb, Gate } from '../driver.ts'
import { DatabaseError } from '../errors.ts'
import { EngineGone, type Engine } from './engine.ts'

/**
 * What pg-boss needs of the embedded database: its own values, several statements, NOTIFY.
 * `onReopen` calls back with each engine that takes the place of one that is gone, until the function
 * it gives is called.
 */
export function pgliteBossDb(
  { enter, currentTx }: Gate,
  use: <T>(run: (engine: Engine) => Promise<T>) => Promise<T>,
  onReopen: (callBack: (engine: Engine) => Promise<void>) => () => void,
): BossDb {
  return {
    async executeSql(text, values) {
      // Even with { db: tx }, pg-boss asks here for a queue it has not seen yet. There is only the
      // connection of that transaction to ask; anything but a question is refused by enter().
      const tx = currentTx()
      if (tx && /^\s*select\s/i.test(text)) return await tx.executeSql(text, values)
      return await enter(() => use((engine) => engine.executeSql(text, values)))
    },
    async listen(channel, onNotification, onReconnect) {
      let unlisten = async () => {}
      const subscribe = async (engine: Engine) => {
        unlisten = await engine.listen(channel, onNotification)
        onReconnect()
      }
      await enter(() => use(subscribe))
      const forget = onReopen(subscribe)
      return {
        async close() {
          forget()
          await enter(() => unlisten()).catch(unlessEnded)
        },
      }
    },
    // The one connection is that of the database.
    close: async () => {},
  }
}

// A database closed before pg-boss is stopped has ended the subscription already, and so has an engine
// that is gone.
function unlessEnded(error: unknown): void {
  const isClosed = error instanceof DatabaseError && error.code === 'closed'
  if (!isClosed && !(error instanceof EngineGone)) throw error
}
