import { openDatabase, type Database } from '@feed-receiver/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus } from '../../../../test/support/databases.ts'
import { setForDatabase, type TestDatabase } from '../../../../test/support/postgres.ts'
import { recordCommits } from '../../../../test/support/record-commits.ts'
import { createCopy } from '../../../../test/support/templates.ts'
import { createInbox, type Inbox } from '../index.ts'

const tables = [
  'entry',
  'entry_body',
  'quarantine',
  'poll_stream',
  'stream_gap',
  'effect',
  'operation',
]

// Citus supports no triggers, which read the setting at the commit.
describe.skipIf(isOnCitus('postgres')).each(['on', 'off'])(
  'a commit, if the database says %s',
  (setting) => {
    let made: TestDatabase
    let database: Database
    let inbox: Inbox
    let takeCommits: () => Promise<Record<string, string>>

    beforeAll(async () => {
      made = await createCopy('inbox')
      await setForDatabase(made.url, 'synchronous_commit', setting)
      database = openDatabase(made.url)
      inbox = createInbox({ database })
      await inbox.start()
      const names = tables.map((table) => `feed_inbox.${table}`)
      takeCommits = await recordCommits(database, names)
    })
    beforeEach(() => takeCommits())
    afterAll(async () => {
      await inbox.stop()
      await database.close()
      await made.drop()
    })

    const unreadable = () => ({ ...deliveryOf(makeEvent()), eventId: null, detail: 'not one' })

    it('waits for the disk before a delivery is stored', async () => {
      expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
      expect(await takeCommits()).toEqual({ entry: 'on', entry_body: 'on' })
    })

    it('waits for the disk before a delivery counts as a duplicate', async () => {
      const { event } = deliveryOf(makeEvent())
      await inbox.acceptPage([event], { stream: 'duplicates', cursor: 'one' })
      await takeCommits()
      // The first has the bytes that pull has not.
      for (const expected of [{ entry: 'on', entry_body: 'on' }, { entry: 'on' }]) {
        expect(await inbox.accept(deliveryOf(event))).toBe('duplicate')
        expect(await takeCommits()).toEqual(expected)
      }
    })

    it('waits for the disk before a delivery is quarantined', async () => {
      const delivery = deliveryOf(makeEvent())
      await inbox.accept(delivery)
      await takeCommits()
      const body = Buffer.concat([delivery.body, Buffer.from(' ')])
      expect(await inbox.accept({ ...delivery, body })).toEqual({ quarantined: 'id_conflict' })
      expect(await takeCommits()).toEqual({ quarantine: 'on' })
      const twice = unreadable()
      for (const given of [twice, twice]) {
        await inbox.quarantine(given, 'not_an_event')
        expect(await takeCommits()).toEqual({ quarantine: 'on' })
      }
    })

    it('waits for the disk for a page without a cursor, which is read only once', async () => {
      const { event } = deliveryOf(makeEvent())
      const parts = { unreadable: [{ value: makeEvent(), detail: 'not one' }] }
      await inbox.acceptPage([event], { stream: 'pages', ...parts })
      const all = { entry: 'on', entry_body: 'on', quarantine: 'on', poll_stream: 'on' }
      expect(await takeCommits()).toEqual(all)
      await inbox.acceptPage([], { stream: 'pages', cursor: null, gapCode: 'cursor_expired' })
      expect(await takeCommits()).toEqual({ poll_stream: 'on', stream_gap: 'on' })
    })

    it('waits for no disk for a page that is read again after a crash', async () => {
      for (const again of [{ cursor: 'one' }, { isReread: true }]) {
        const { event } = deliveryOf(makeEvent())
        await inbox.acceptPage([event], { stream: 'pages', ...again })
        expect(await takeCommits()).toEqual({ entry: 'off', entry_body: 'off', poll_stream: 'off' })
        // The setting ends with its transaction: the connection may take a delivery next.
        await inbox.accept(deliveryOf(makeEvent()))
        expect(await takeCommits()).toEqual({ entry: 'on', entry_body: 'on' })
      }
    })

    it('waits for the disk before an effect counts as happened, and an entry as done', async () => {
      await inbox.accept(deliveryOf(makeEvent()))
      await takeCommits()
      await inbox.drain({ '*': (_event, { effects }) => effects.once('page', () => 'sent') })
      expect(await takeCommits()).toEqual({ effect: 'on', entry: 'on' })
    })

    it('waits for the disk before an operation of a person is answered', async () => {
      await inbox.pause({ reason: 'a deploy' })
      expect(await takeCommits()).toEqual({ operation: 'on' })
      await inbox.resume()
      expect(await takeCommits()).toEqual({ operation: 'on' })
    })
  },
)
