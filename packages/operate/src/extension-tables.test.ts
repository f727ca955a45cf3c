import { expect, it } from 'vitest'
import { alertTables } from './alerts/index.ts'
import { auditTables } from './audit/index.ts'

it.each([alertTables, auditTables])(
  'lists every table of $name for the check of the start',
  (one) => {
    const sql = Object.values(one.migrations).join('\n')
    const created = [...sql.matchAll(/^create table (\w+)/gm)].map(([, table]) => table)
    expect(Object.keys(one.tables)).toEqual(created)
  },
)
