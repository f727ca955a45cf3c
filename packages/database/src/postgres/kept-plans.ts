import { hash } from 'node:crypto'
import { sqlState } from '../errors.ts'

/** The plans that the connections of one pool keep. */
export interface KeptPlans {
  /** Runs a statement under the name of its plan, or without one where plans do not last. */
  use<T>(text: string, run: (name: string | undefined) => Promise<T>): Promise<T>
}

// The plan is gone, another connection had it, or it does not fit the tables any more. The server
// says so before it has done anything.
const lost = new Set(['26000', '42P05', '0A000'])

/**
 * Names statements by what they say, so that a connection which a pooler lends to many never has
 * another one under the same name. Once a plan is lost, none is kept any more: behind PgBouncer in
 * transaction mode they would be lost again and again.
 */
export function keepPlans(): KeptPlans {
  let lasts = true
  return {
    async use(text, run) {
      if (!lasts) return run(undefined)
      try {
        return await run(`feed_${hash('sha256', text).slice(0, 32)}`)
      } catch (error) {
        if (!lost.has(sqlState(error) ?? '')) throw error
        lasts = false
        return await run(undefined)
      }
    },
  }
}
