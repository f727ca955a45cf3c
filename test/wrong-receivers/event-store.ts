import { setTimeout as delay } from 'node:timers/promises'

/** Stands in for a table: it outlives its receiver, and every statement takes a moment. */
export interface EventStore {
  /** As with `on conflict do nothing` under a unique constraint: whether the event was new. */
  insertOnce(id: string): Promise<boolean>
  /** As without a constraint. */
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
