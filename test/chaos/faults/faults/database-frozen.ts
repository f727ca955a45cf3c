import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../support/until.ts'
import type { Fault } from '../fault.ts'
import { stateOf } from '../process-state.ts'

/** Longer than the service waits for an answer. */
const frozenMs = 12_000

export const databaseFrozen: Fault = {
  name: 'database-frozen',
  describe: `all processes of PostgreSQL are stopped for ${frozenMs / 1_000} s (SIGSTOP, then SIGCONT)`,
  promise:
    'Statements have a deadline, so that deliveries are answered while the database is silent.',
  kind: 'other',
  holds: ['database'],
  async inject({ postgres, sql, redis }) {
    let hasAnswered = false
    try {
      postgres.freeze()
      redis?.freeze()
      await until('PostgreSQL is stopped', () => stateOf(postgres.pid) === 'T')
      const asked = sql('select 1').then(() => (hasAnswered = true))
      asked.catch(() => undefined)
      await delay(frozenMs)
      if (hasAnswered) throw new Error('PostgreSQL answered while it was frozen')
      thaw()
      await asked
    } finally {
      thaw()
    }
    return `pid ${postgres.pid} was in state T and answered nothing for ${frozenMs} ms`

    function thaw(): void {
      postgres.thaw()
      redis?.thaw()
    }
  },
}
