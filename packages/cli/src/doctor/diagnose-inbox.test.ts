import type { Database } from '@feed-receiver/database'
import type { Inbox } from '@feed-receiver/inbox'
import { expect, it } from 'vitest'
import { diagnoseInbox } from './diagnose-inbox.ts'
import type { Finding } from './finding.ts'

const unread = { backlog: null, dead: null, quarantined: null, pauses: null }
const problems = [{ code: 'database_down', message: 'The database does not answer.' }]

it('reports nothing as well that it could not read while the database is down', async () => {
  const inbox = {
    health: async () => ({ ok: false, problems, warnings: [], database: 'down', ...unread }),
  } as unknown as Inbox
  const database = {
    kind: 'pglite',
    query: async () => ({ rows: [{ ms: Date.now() }] }),
  } as unknown as Database
  const { signal } = new AbortController()
  const findings: Finding[] = []
  const found = diagnoseInbox({
    inbox,
    shards: [inbox],
    database,
    alerts: [],
    probe: undefined,
    signal,
  })
  for await (const finding of found) findings.push(finding)
  expect(findings.map(({ check, verdict }) => `${verdict} ${check}`)).toEqual([
    'ok database',
    'ok database clock',
    'failed database down',
  ])
})
