import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../support/until.ts'
import type { Fault } from '../fault.ts'
import { stateOf } from '../process-state.ts'

const frozenMs = 6_000

export const databaseFrozen: Fault = {
  name: 'database-frozen',
  describe: `all processes of PostgreSQL stand still for ${frozenMs / 1_000} s (SIGSTOP, then SIGCONT)`,
  kind: 'other',
  holds: ['database'],
  async inject({ postgres, sql }) {
    let hasAnswered = false
    try {
      postgres.freeze()
      await until('PostgreSQL stands still', () => stateOf(postgres.pid) === 'T')
      const asked = sql('select 1').then(() => (hasAnswered = true))
      asked.catch(() => undefined)
      await delay(frozenMs)
      if (hasAnswered) throw new Error('PostgreSQL answered while it was frozen')
      postgres.thaw()
      await asked
    } finally {
      postgres.thaw()
    }
    return `pid ${postgres.pid} was in state T and answered nothing for ${frozenMs} ms`
  },
}
