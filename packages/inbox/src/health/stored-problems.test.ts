import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { emptyInbox } from '../../../../test/support/empty-inbox.ts'
import { createInbox, type Inbox } from '../index.ts'

describe('the warnings of the health', () => {
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  beforeEach(() => emptyInbox(database()))
  afterAll(() => inbox.stop())

  it('list dead entries by type, entries in quarantine, and what to do next', async () => {
    await storeDead('outage_started', 2)
    await storeDead('model_release', 1)
    const { event: _, ...delivery } = deliveryOf({}, Buffer.from('{"cut'))
    await inbox.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
    const { ok, warnings } = await inbox.health()
    expect(ok).toBe(true)
    expect(warnings).toEqual([
      {
        code: 'dead',
        message: expect.stringMatching(
          /^Dead entries of type model_release: 1\. Dead entries of type outage_started: 2\. Read /,
        ),
      },
      {
        code: 'quarantine',
        message: expect.stringMatching(/^Deliveries in quarantine: 1\. List /),
      },
    ])
  })

  it.each(['quarantine', 'rejection', 'pause', 'stream_gap', 'operation'])(
    'list dead entries, and what cannot be read, without the table %s',
    async (table) => {
      await storeDead('outage_started', 1)
      await database().query(`alter table feed_inbox.${table} rename to away`)
      const { ok, warnings } = await inbox.health()
      await database().query(`alter table feed_inbox.away rename to ${table}`)
      expect(ok).toBe(true)
      expect(warnings.map(({ code }) => code)).toEqual(['side_unreadable', 'dead'])
    },
  )

  it('quote the type of a pause for the shell', async () => {
    await inbox.pause({ types: ["it's"], reason: 'a new type', force: true })
    await database().query(`update feed_inbox.pause set paused_at = now() - interval '25 hours'`)
    const { warnings } = await inbox.health()
    await inbox.resume({ types: ["it's"] })
    expect(warnings).toMatchObject([
      { message: expect.stringContaining(`inbox resume --type 'it'\\''s'`) },
    ])
  })

  it('list deliveries in quarantine without the table of entries', async () => {
    const { event: _, ...delivery } = deliveryOf({}, Buffer.from('{"cut'))
    await inbox.quarantine({ ...delivery, detail: 'cut off', eventId: null }, 'not_json')
    await database().query('alter table feed_inbox.entry rename to away')
    const { problems, warnings } = await inbox.health()
    await database().query('alter table feed_inbox.away rename to entry')
    expect(problems.map(({ code }) => code)).toEqual(['tables_unreadable'])
    expect(warnings.map(({ code }) => code)).toEqual(['quarantine'])
  })

  it('say nothing of one forged delivery on a feed that goes on', async () => {
    await inbox.accept({ ...deliveryOf(makeEvent()), signedAt: new Date() })
    inbox.answered({ reason: 'signature_mismatch', status: 401, notes: [], durationMs: 1 })
    await expect.poll(async () => (await inbox.rejections()).length).toBe(1)
    expect((await inbox.health()).warnings).toEqual([])
    await database().query(
      `update feed_inbox.entry set last_push_at = now() - interval '2 hours',
         signed_at = now() - interval '2 hours', received_at = now() - interval '2 hours'`,
    )
    const { warnings } = await inbox.health()
    expect(warnings.map(({ code }) => code)).toContain('unknown_secret')
  })

  it('leave out what a problem says already', async () => {
    await inbox.accept(deliveryOf(makeEvent()))
    await database().query(
      `with due as (update feed_inbox.job set start_after = now() - interval '1 hour')
       update feed_inbox.entry set received_at = now() - interval '1 hour'`,
    )
    const { problems, warnings } = await inbox.health()
    expect(problems.map(({ code }) => code)).toEqual(['nothing_claimed'])
    expect(warnings.map(({ code }) => code)).not.toContain('oldest_pending')
  })

  async function storeDead(type: string, count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      await inbox.accept(deliveryOf(makeEvent({ type })))
    }
    await database().query(
      `with gone as (delete from feed_inbox.job)
       update feed_inbox.entry set state = 'dead', handled_at = now() where type = $1`,
      [type],
    )
  }
})
