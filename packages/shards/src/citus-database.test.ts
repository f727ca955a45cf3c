import { readFileSync } from 'node:fs'
import type { BossOptions, Database } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { citusDatabase, rewriteBoss, rewriteStore } from './citus-database.ts'

const file = new URL('../test/store-on-citus.json', import.meta.url)
/** The statements that were tried on Citus, line by line. */
const tried: Record<string, Record<'push' | 'pull', string[]>> = JSON.parse(
  readFileSync(file, 'utf8'),
)

describe('a database on Citus', () => {
  const database = useDatabase('postgres', 'inbox')

  it.each([
    ['unordered', {}],
    ['ordered', { ordered: 'subject', priority: { "o'x": 5, outage_started: -3 } }],
  ] as const)('stores events of an inbox that is %s as tried on Citus', async (kind, options) => {
    const sent: string[] = []
    const citus = citusDatabase(recording(database(), sent))
    await using inbox = createInbox({ ...options, database: citus })
    await inbox.start()
    const delivery = deliveryOf(makeEvent())
    expect(await inbox.accept(delivery)).toBe('stored')
    expect(await inbox.accept(delivery)).toBe('duplicate')
    const { event } = deliveryOf(makeEvent())
    await inbox.acceptPage([{ ...event, pull: {} }], { stream: kind })
    const handled: string[] = []
    await inbox.drain({ '*': ({ id }) => void handled.push(id) })
    expect(handled.toSorted()).toEqual([delivery.event.id, event.id].toSorted())

    const storing = sent.filter((text) => text.startsWith('with given as'))
    const { push, pull } = tried[kind] ?? {}
    const partition = /insert into feed_inbox\.(\w+) \(\s+id, name/.exec(storing[0] ?? '')?.[1]
    const expected = [push, pull].map((lines) =>
      lines?.join('\n').replace('{partition}', partition ?? ''),
    )
    expect([...new Set(storing)]).toEqual(expected)
  })

  it('rejects a statement that it does not know', () => {
    expect(() => rewriteStore('with given as materialized (select 1) select 2')).toThrow(
      'stores events by a statement without',
    )
  })
})

it('rewrites what pg-boss sends', async () => {
  const sent: string[] = []
  const executeSql = async (text: string) => {
    sent.push(text)
    return { rows: [] }
  }
  const nothing = () => Promise.reject(new Error('not used'))
  const options: BossOptions = { db: { executeSql, listen: nothing, close: nothing } }
  const { db } = rewriteBoss(options)
  await db.executeSql(
    `coalesce(monitor_on, feed_inbox.job_now() - interval '1 week') where (heartbeat_on + heartbeat_seconds * interval '1s') < feed_inbox.job_now()`,
  )
  expect(sent).toEqual([
    `coalesce(monitor_on, timestamptz '2000-01-01 00:00Z') where feed_inbox.job_now() - heartbeat_on > heartbeat_seconds * interval '1s'`,
  ])
})

/** Collects the statements that reach a database. */
function recording(database: Database, sent: string[]): Database {
  return {
    ...database,
    query(text, values, options) {
      sent.push(text)
      return database.query(text, values, options)
    },
    tx: (run, options) =>
      database.tx(
        (tx) =>
          run({
            get isBegun() {
              return tx.isBegun
            },
            query(text, values) {
              sent.push(text)
              return tx.query(text, values)
            },
            executeSql: tx.executeSql,
            afterCommit: tx.afterCommit,
            endWith: tx.endWith,
            part: tx.part,
          }),
        options,
      ),
  }
}
