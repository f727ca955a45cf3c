import { setTimeout as delay } from 'node:timers/promises'

/** Replaces a database table: it outlives its receiver, and every statement takes a moment. */
export interface EventStore {
  /** Inserts with `on conflict do nothing`, and returns whether the event is new. */
  insertOnce(id: string): Promise<boolean>
  /** Inserts without a constraint. */
  insert(id: string): Promise<void>
  has(id: string): Promise<boolean>
  count(id: string): Promise<number>
}

const statementMs = 5

export function eventStore(): EventStore {
  const rows: string[] = []
  const count = async (id: string) => rows.filter((row) => row === id).length
  return {
    async insertOnce(id) {
      await delay(statementMs)
      const isNew = !rows.includes(id)
      if (isNew) rows.push(id)
      return isNew
    },
    async insert(id) {
      await delay(statementMs)
      rows.push(id)
    },
    async has(id) {
      await delay(statementMs)
      return rows.includes(id)
    },
    count,
  }
}
