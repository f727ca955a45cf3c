import { readFileSync, statSync } from 'node:fs'
import type { Fault } from '../fault.ts'
import type { StopMode } from '../../../support/postgres.ts'

export const databaseImmediate = restartDatabase('immediate', 'restart')
export const databaseFast = restartDatabase('fast', 'other')

function restartDatabase(mode: StopMode, kind: Fault['kind']): Fault {
  return {
    name: `database-${mode}`,
    describe: `PostgreSQL (and Redis, if in use) is stopped in ${mode} mode and started again`,
    kind,
    holds: ['database'],
    async inject({ postgres, postgresLog, redis }) {
      const oldPid = postgres.pid
      const mark = statSync(postgresLog).size
      await Promise.all([postgres.restart(mode), redis?.restart(mode)])
      const text = readFileSync(postgresLog).subarray(mark).toString('utf8')
      const line = `received ${mode} shutdown request`
      if (!text.includes(line)) throw new Error(`PostgreSQL did not log "${line}"`)
      if (postgres.pid === oldPid) throw new Error(`PostgreSQL still has pid ${oldPid}`)
      return `PostgreSQL ${line}, pid ${oldPid} became ${postgres.pid}`
    },
  }
}
