import { readFile } from 'node:fs/promises'
import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, it } from 'vitest'
import { deliveryOf } from '../contract/delivery-inbox.ts'
import { makeEvent } from '../contract/harness.ts'
import { useDatabase } from '../support/databases.ts'

/** The queries of docs/leaving.md, each without its semicolon. */
async function readGuideQueries(): Promise<string[]> {
  const guide = await readFile(new URL('../../docs/leaving.md', import.meta.url), 'utf8')
  const queries = guide.slice(guide.indexOf('## Queries'))
  const blocks = [...queries.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) => text)
  const [, inShell = ''] = /-At -c "(.*?)" >/s.exec(queries) ?? []
  return [inShell, ...blocks].map((text) => text.trim().replace(/;$/, ''))
}

describe('the queries of the guide to leaving', () => {
  const database = useDatabase('postgres', 'inbox')

  it('run, and return the idempotency keys that handlers got', async () => {
    const inbox = createInbox({ database: database() })
    await inbox.start()
    const keys: string[] = []
    const page = async () => {
      await inbox.drain({
        '*': async (_event, { effects }) => {
          await effects.once('page/a', ({ idempotencyKey }) => void keys.push(idempotencyKey))
        },
      })
    }
    await inbox.accept(deliveryOf(makeEvent({ id: 'evt/1~2%2f' })))
    await page()
    await inbox.entries.reprocess({ filter: {} }, { effects: 'again' })
    // Only its last key is stored.
    keys.length = 0
    await page()
    await inbox.accept(deliveryOf(makeEvent({ id: 'evt_plain' })))
    await page()
    await inbox.stop()

    const queries = await readGuideQueries()
    expect(queries.length).toBeGreaterThan(6)
    const results = []
    for (const query of queries) results.push((await database().query(query)).rows)
    expect(results[0]).toHaveLength(2)
    const effects = results.find(([row]) => row && 'idempotency_key' in row) ?? []
    expect(effects.map((row) => row['idempotency_key'])).toEqual(keys)
    expect(keys).toEqual(['feed/evt%2f1%7e2%252f~1/page/a', 'feed/evt_plain/page/a'])
  })
})
