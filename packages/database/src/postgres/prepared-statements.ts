import { hash } from 'node:crypto'
import { sqlState } from '../errors.ts'

/**
 * The repeated statements of one database, which each connection prepares. Once a plan is lost, none
 * is prepared any more: behind PgBouncer in transaction mode they would be lost again and again.
 */
export interface PreparedStatements {
  /** Runs a repeated statement, under its name while plans last. */
  run<T>(text: string, run: (name: string | undefined) => Promise<T>): Promise<T>
  /** The name of a repeated statement; undefined once a plan was lost. */
  nameOf(text: string): string | undefined
  /** Prepares no more if this error of a named statement says that its plan is lost. */
  check(error: unknown): void
}

export function createPreparedStatements(): PreparedStatements {
  // Named by their text, so that a pooled connection never has another statement of that name.
  const names = new Map<string, string>()
  let arePossible = true

  return {
    async run(text, run) {
      const name = nameOf(text)
      try {
        return await run(name)
      } catch (error) {
        // Several may find out at the same time.
        if (name === undefined || !isLost(error)) throw error
        arePossible = false
        return await run(undefined)
      }
    },
    nameOf,
    check(error) {
      if (isLost(error)) arePossible = false
    },
  }

  function nameOf(text: string): string | undefined {
    if (!arePossible) return undefined
    const name = names.get(text) ?? `feed_${hash('sha256', text).slice(0, 32)}`
    names.set(text, name)
    return name
  }
}

function isLost(error: unknown): boolean {
  return lostPlan.has(sqlState(error) ?? '')
}

// The plan is lost, belongs to another connection, or no longer fits the tables. The server reports
// that before it has done anything.
const lostPlan = new Set(['26000', '42P05', '0A000'])
