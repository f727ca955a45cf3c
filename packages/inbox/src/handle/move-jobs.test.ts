import type { FeedEvent } from '@feed-receiver/core'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { createInbox, Permanent, type InboxOptions } from '../index.ts'

describeOnEach('an inbox whose `ordered` has changed on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const errors: unknown[] = []
  let number = 0
  const open = async (ordered?: InboxOptions['ordered']) => {
    const inbox = createInbox({
      database: database(),
      source: `switched_${number}`,
      ordered,
      onError: (error) => errors.push(error),
    })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  it.each<[string, InboxOptions['ordered'], InboxOptions['ordered']]>([
    ['that becomes ordered', undefined, 'subject'],
    ['that is no longer ordered', 'subject', undefined],
  ])(
    '%s handles what was stored before at once, in the order of acceptance',
    embedded,
    async (_, before, after) => {
      number += 1
      const old = await open(before)
      const subject = { type: 'model', key: 'one' }
      const base = makeEvent()
      const events = [1, 2, 3, 4].map(() => {
        const { id } = makeEvent()
        return { ...base, id, data: { ...base.data, subject } }
      })
      // Within one millisecond, so that only the order of acceptance tells them apart.
      const receivedAt = new Date()
      for (const event of events.slice(0, 3)) {
        await old.accept({ ...deliveryOf(event), receivedAt })
      }
      await old.stop()

      const inbox = await open(after)
      const [last] = events.slice(3)
      if (last) await inbox.accept(deliveryOf(last))
      expect((await inbox.health()).backlog).toMatchObject({ waiting: { count: 4, isExact: true } })
      const seen: string[] = []
      await inbox.work({ '*': ({ id }) => void seen.push(id) }, { concurrency: 1 })
      await expect.poll(() => seen).toHaveLength(4)
      expect(seen.toSorted()).toEqual(events.map(({ id }) => id).toSorted())
      if (after === 'subject') expect(seen).toEqual(events.map(({ id }) => id))
      await expect.poll(async () => (await inbox.health()).backlog?.waiting.count).toBe(0)
      const { rows } = await database().query(
        `select name from feed_inbox.job where name like 'switched_${number}%' and state < 'completed'`,
      )
      expect(rows).toEqual([])
      expect(errors).toEqual([])
    },
  )

  it('keeps the order of a page whose ids have another one', embedded, async () => {
    number += 1
    const old = await open()
    const base = makeEvent()
    const subject = { type: 'model', key: 'one' }
    // Ids of the entries follow those of the events.
    const ids = ['c', 'a', 'b'].map((letter) => `evt_${letter}_${base.id}`)
    const events = ids.map((id) => {
      return { ...base, id, data: { ...base.data, subject }, pull: {} } as FeedEvent
    })
    await old.acceptPage(events, { stream: 'events', cursor: '1' })
    await old.stop()
    const inbox = await open('subject')
    const seen: string[] = []
    await inbox.drain({ '*': ({ id }) => void seen.push(id) }, { concurrency: 1 })
    expect(seen).toEqual(ids)
  })

  it('says that nothing is claimed if no worker moves the jobs', embedded, async () => {
    number += 1
    const old = await open()
    const receivedAt = new Date(Date.now() - 120_000)
    await old.accept({ ...deliveryOf(makeEvent()), receivedAt })
    await old.stop()
    const inbox = await open('subject')
    expect(await inbox.health()).toMatchObject({
      ok: false,
      problems: [{ code: 'nothing_claimed' }],
      backlog: { waiting: { count: 1 } },
    })
    expect(await inbox.drain({ '*': () => {} })).toMatchObject({ handled: 1 })
    expect(await inbox.health()).toMatchObject({ ok: true })
  })

  it('does not handle an event again that was dead-lettered before', embedded, async () => {
    number += 1
    const old = await open()
    const event = makeEvent()
    await old.accept({ ...deliveryOf(event), receivedAt: new Date(Date.now() - 120_000) })
    await old.stop()
    // What the queue does when the process of the last attempt is killed.
    await database().query(`update feed_inbox.job set name = name || '_dead' where name = $1`, [
      `switched_${number}`,
    ])
    const inbox = await open('subject')
    const dead: unknown[] = []
    const handled = await inbox.drain(
      { '*': () => {} },
      { onDead: ({ eventId }) => void dead.push(eventId) },
    )
    expect(handled).toMatchObject({ handled: 0, isEmpty: true })
    expect(dead).toEqual([event.id])
    expect(await inbox.entries.get(event.id)).toMatchObject({ state: 'dead' })
  })

  it('shows the error of an event that died before', embedded, async () => {
    number += 1
    const old = await open()
    const event = makeEvent()
    await old.accept(deliveryOf(event))
    const handle = () => Promise.reject(new Permanent('no such customer'))
    await old.drain({ '*': handle }, { onDead: () => {} })
    await old.stop()
    const inbox = await open('subject')
    const job = { state: 'failed', attempts: 1, lastError: { message: 'no such customer' } }
    expect(await inbox.entries.get(event.id)).toMatchObject({ state: 'dead', job })
    expect((await inbox.entries.list()).entries).toMatchObject([{ state: 'dead', job }])
  })

  it.skipIf(kind === 'pglite')('moves the jobs of a retry once it has ended', async () => {
    number += 1
    const old = await open()
    const event = makeEvent()
    await old.accept(deliveryOf(event))
    await old.stop()
    const inbox = await open('subject')
    let [onLocked, onWaiting] = [() => {}, () => {}]
    const locked = new Promise<void>((resolve) => (onLocked = resolve))
    const waiting = new Promise<void>((resolve) => (onWaiting = resolve))
    // A retry locks jobs, and then their entries, whose ids it stores.
    const retried = database().tx(async (tx) => {
      await tx.query('select from feed_inbox.job where name = $1 for update', [
        `switched_${number}`,
      ])
      onLocked()
      await waiting
      await tx.query('select from feed_inbox.entry where event_id = $1 for key share', [event.id])
    })
    await locked
    const drained = inbox.drain({ '*': () => {} })
    await until('the move waits for the job', async () => {
      const { rows } = await database().query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length === 1
    })
    onWaiting()
    await retried
    expect(await drained).toMatchObject({ handled: 1 })
    expect(errors).toEqual([])
  })

  it('leaves a job with the old worker that runs it', embedded, async () => {
    number += 1
    const old = await open()
    const event = makeEvent()
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    onTestFinished(finish)
    let runs = 0
    const handle = async () => {
      runs += 1
      await finished
    }
    // Old enough for a sweep, which requeues entries without a job.
    const receivedAt = new Date(Date.now() - 120_000)
    await old.accept({ ...deliveryOf(event), receivedAt })
    await old.work({ '*': handle })
    await expect.poll(() => runs).toBe(1)
    const inbox = await open('subject')
    expect(await inbox.drain({ '*': handle })).toMatchObject({ handled: 0, isEmpty: true })
    finish()
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')
    expect(runs).toBe(1)
  })
})
