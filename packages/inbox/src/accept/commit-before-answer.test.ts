import { openDatabase, type Database } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { createTarget, isOnCitus } from '../../../../test/support/databases.ts'
import {
  countHeldCommits,
  holdCommits,
  letCommitsWait,
} from '../../../../test/support/hold-commits.ts'
import { createInbox, type Inbox } from '../index.ts'

// Much longer than a statement takes here, and short enough for a test.
const queryTimeoutMs = 3_000
// Longer than the tests hold a commit, however busy the machine is.
const patience = { queryTimeoutMs: 60_000 }

// Citus supports no triggers, which delay commits here.
describe.skipIf(isOnCitus('postgres'))('an inbox with delayed commits', () => {
  const drops: (() => Promise<unknown>)[] = []
  let database: Database
  let observer: Database
  let inbox: Inbox

  beforeAll(async () => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    database = openDatabase(target, { queryTimeoutMs })
    observer = openDatabase(target, patience)
    inbox = createInbox({ database })
    drops.push(
      () => inbox.stop(),
      () => database.close(),
      () => observer.close(),
      drop,
    )
    await inbox.start()
    const tables = ['feed_inbox.entry', 'feed_inbox.quarantine']
    await letCommitsWait(observer, tables, `new.source <> 'witness'`)
  })
  afterAll(async () => {
    for (const drop of drops) await drop()
  })

  it('resolves a delivery only after its commit', async () => {
    await using patient = createInbox({ database: observer })
    await patient.start()
    const release = await holdCommits(observer)
    const happened: string[] = []
    const answers = [makeEvent(), makeEvent(), makeEvent()].map((event) =>
      patient.accept(deliveryOf(event)).finally(() => happened.push('answered')),
    )
    await expect.poll(() => countHeldCommits(observer)).toBeGreaterThan(0)
    happened.push('released')
    await release()
    expect(await Promise.all(answers)).toEqual(['stored', 'stored', 'stored'])
    expect(happened).toEqual(['released', 'answered', 'answered', 'answered'])
  })

  // Two groups may commit in either order, and an ordered inbox handles events in that order.
  it.each([
    ['two groups concurrently', undefined, 2],
    ['one group at a time if it is ordered', 'subject', 1],
  ] as const)('commits %s', async (_, ordered, most) => {
    const source = ordered ?? 'any_order'
    await using tested = createInbox({ database: observer, source, ...(ordered && { ordered }) })
    await using witness = createInbox({ database: observer, source: 'witness' })
    for (const started of [tested, witness]) await started.start()
    const release = await holdCommits(observer)
    const first = tested.accept(deliveryOf(makeEvent()))
    await expect.poll(() => countHeldCommits(observer)).toBe(1)
    const second = tested.accept(deliveryOf(makeEvent()))
    // The database has begun a commit that was sent before these.
    for (let n = 0; n < 3; n += 1) await witness.accept(deliveryOf(makeEvent()))
    await expect.poll(() => countHeldCommits(observer)).toBe(most)
    await release()
    expect(await Promise.all([first, second])).toEqual(['stored', 'stored'])
  })

  it('reports nothing as stored, duplicate or quarantined before its commit', async () => {
    const known = deliveryOf(makeEvent())
    expect(await inbox.accept(known)).toBe('stored')
    const [event, unreadable] = [makeEvent(), makeEvent()]
    const pulled = deliveryOf(makeEvent()).event
    const release = await holdCommits(observer)
    const outcomes = await Promise.allSettled([
      inbox.accept(deliveryOf(event)),
      inbox.accept(known),
      inbox.quarantine(
        { ...deliveryOf(unreadable), eventId: unreadable.id, detail: 'not one' },
        'not_an_event',
      ),
      inbox.acceptPage([pulled], { stream: 'events', cursor: 'behind' }),
    ])
    expect(outcomes).toEqual(
      outcomes.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: expect.stringMatching(/^(?:unavailable|57014)$/) }),
      })),
    )
    // The timed-out transaction was rolled back, so the delivery is new when it arrives again.
    await expect.poll(() => countHeldCommits(observer)).toBe(0)
    await release()
    expect(await inbox.accept(deliveryOf(event))).toBe('stored')
    expect(await inbox.accept(known)).toBe('duplicate')
    expect(await inbox.acceptPage([pulled], { stream: 'events', cursor: 'behind' })).toEqual({
      stored: 1,
      revised: 0,
      quarantined: 0,
    })
  })

  it('reports nothing as stored if its commit fails', async () => {
    await observer.query(`create or replace function wait_at_commit() returns trigger
      language plpgsql as $$ begin raise 'the disk is full'; end $$`)
    const event = makeEvent()
    await expect(inbox.accept(deliveryOf(event))).rejects.toThrow('the disk is full')
    await observer.query(`create or replace function wait_at_commit() returns trigger
      language plpgsql as $$ begin return null; end $$`)
    expect(await inbox.accept(deliveryOf(event))).toBe('stored')
  })
})
