import type { PGlite } from '@electric-sql/pglite'
import type { BossDb, Gate } from '../driver.ts'
import { DatabaseError } from '../errors.ts'

/** Runs a function while nothing else uses the connection. */
type Exclusively = <T>(run: (lite: PGlite) => Promise<T>) => Promise<T>

/**
 * What pg-boss needs of the embedded database: its own values, several statements, NOTIFY.
 * `onReopen` calls back with each engine that replaces a crashed one, until the function it gives is
 * called.
 */
export function pgliteBossDb(
  { enter, currentTx }: Gate,
  exclusively: Exclusively,
  onReopen: (callBack: (lite: PGlite) => Promise<void>) => () => void,
): BossDb {
  const use: Exclusively = (run) => enter(() => exclusively(run))
  return {
    async executeSql(text, values) {
      // Even with { db: tx }, pg-boss asks here for a queue it has not seen yet. There is only the
      // connection of that transaction to ask; anything but a question is refused by enter().
      const tx = currentTx()
      if (tx && /^\s*select\s/i.test(text)) return await tx.executeSql(text, values)
      return await use(async (lite) => {
        try {
          return await executeOnPglite(lite, text, values)
        } catch (error) {
          // pg-boss sends whole `begin … commit` texts and expects a pool: a failed one must not
          // leave its transaction to whoever is next on the only connection.
          await lite.exec('rollback').catch(() => undefined)
          throw error
        }
      })
    },
    async listen(channel, onNotification, onReconnect) {
      let unlisten = async () => {}
      const subscribe = async (lite: PGlite) => {
        unlisten = await lite.listen(channel, onNotification)
        onReconnect()
      }
      await use(subscribe)
      const forget = onReopen(subscribe)
      return {
        async close() {
          forget()
          await use(() => unlisten()).catch(unlessClosed)
        },
      }
    },
    // The one connection is that of the database.
    close: async () => {},
  }
}

/** `query` takes one statement; pg-boss's texts without values may hold several. */
export async function executeOnPglite(
  lite: PGlite,
  text: string,
  values: readonly unknown[] = [],
): Promise<{ rows: unknown[] }> {
  if (values.length > 0) return await lite.query(text, [...values])
  const results = await lite.exec(text)
  return { rows: results.flatMap(({ rows }) => rows) }
}

// A database closed before pg-boss is stopped has ended the subscription already.
function unlessClosed(error: unknown): void {
  if (!(error instanceof DatabaseError && error.code === 'closed')) throw error
}
