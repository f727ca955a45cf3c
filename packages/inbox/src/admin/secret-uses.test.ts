import type { Database } from '@feed-receiver/database'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { openTestQueue } from '../../../../test/support/open-test-queue.ts'
import { createInbox, type Inbox } from '../index.ts'
import { tablesIn } from '../entry/tables.ts'
import { findSecretUses } from './secret-uses.ts'

const hour = 3_600_000
const start = Date.now() - 100 * hour

describeOnEach('the secrets on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it('are empty before the first event', async () => {
    expect(await inbox.secrets()).toEqual([])
  })

  it('allow removing the old one only after the new one has signed [R204]', async () => {
    await sign('old', 0)
    await sign('old', 10)
    expect(await inbox.secrets()).toEqual([
      {
        fingerprint: 'old',
        firstSignedAt: new Date(start).toISOString(),
        lastSignedAt: new Date(start + 10 * hour).toISOString(),
        recent: { count: 2, isExact: true },
        canBeRemoved: false,
      },
    ])
    await sign('new', 24)
    expect(await inbox.secrets()).toMatchObject([
      { fingerprint: 'new', canBeRemoved: false },
      { fingerprint: 'old', canBeRemoved: true },
    ])
  })

  it('keep both while both are in use', embedded, async () => {
    await sign('old', 23)
    await sign('new', 24)
    await sign('old', 25)
    expect(await inbox.secrets()).toMatchObject([
      { fingerprint: 'old', canBeRemoved: false },
      { fingerprint: 'new', canBeRemoved: false },
    ])
  })

  it('count recent uses', async () => {
    const [old] = await inbox.secrets({ days: 3.5 })
    expect(old).toMatchObject({ fingerprint: 'old', recent: { count: 2, isExact: true } })
    await expect(inbox.secrets({ days: -1 })).rejects.toThrow('days: use')
  })

  it('are found with an index', embedded, async () => {
    await database().query(
      `insert into feed_inbox.entry (source, event_id, type, provider, category, title, confirmation,
         created_at, received_at, signed_by, signed_at)
       select 'feed', 'bulk-' || n, 't', 'p', 'c', 't', 'c', now(), now(), 'secret-' || n % 3,
         now() - n * interval '1 minute'
       from generate_series(1, 20000) n`,
    )
    await database().query('analyze feed_inbox.entry')
    const explaining: Database = {
      ...database(),
      async query(text, values) {
        const plan = await database().query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
        expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain(
          'Seq Scan on entry',
        )
        return { rows: [], rowCount: 0 }
      },
    }
    const queue = await openTestQueue(database())
    const tables = tablesIn('feed_inbox')
    await findSecretUses({ database: explaining, tables, source: 'feed', queue })
    await queue.stop()
    expect.assertions(1)
  })

  async function sign(signedBy: string, hours: number): Promise<void> {
    const signedAt = new Date(start + hours * hour)
    await inbox.accept({ ...deliveryOf(makeEvent()), signedBy, signedAt })
  }
})
