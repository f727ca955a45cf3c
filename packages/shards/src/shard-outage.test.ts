import { randomBytes } from 'node:crypto'
import { createInbox, type Inbox } from '@feed-receiver/inbox'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { useDatabase } from '../../../test/support/databases.ts'
import { lockTable } from '../../../test/support/lock-table.ts'
import { runSql } from '../../../test/support/postgres.ts'
import { createChoice } from './choose-shard.ts'
import { shardInbox, type ShardedInbox } from './index.ts'

const choice = createChoice(2)
const [ofFirst, ofSecond] = [0, 1].map(
  (shard) => () => deliveriesOf((delivery) => choice.ofEvent(delivery.event) === shard),
)

describe('while one of two shards is down', () => {
  const database = useDatabase('postgres', 'inbox', { queryTimeoutMs: 60_000 })

  it('starts without it, works, and reconnects it', async () => {
    const server = inject('postgresUrl')
    const name = `test_${randomBytes(6).toString('hex')}`
    const url = new URL(server)
    url.pathname = `/${name}`
    onTestFinished(() => runSql(server, `drop database if exists ${name} with (force)`))
    const warnings: unknown[] = []
    const inbox = open(
      [
        createInbox({ database: database(), instance: '1' }),
        createInbox({ database: url.href, instance: '2' }),
      ],
      {
        onError: (error) => warnings.push(error),
      },
    )
    await inbox.start()
    const handled: string[] = []
    await inbox.work({ '*': ({ id }) => void handled.push(id) })

    const [here, gone] = [ofFirst?.(), ofSecond?.()]
    if (!here || !gone) throw new Error('no deliveries')
    expect(await inbox.accept(here)).toBe('stored')
    await expect(inbox.accept(gone)).rejects.toMatchObject({ code: 'unavailable' })
    expect(warnings.map(String)).toContainEqual(expect.stringContaining('Shard 2 of 2'))
    expect(await inbox.health()).toMatchObject({
      ok: false,
      database: 'up',
      problems: [
        { code: 'database_down', message: expect.stringMatching(/^Shard 2 of 2: .*unavailable/) },
      ],
      backlog: { waiting: { isExact: false } },
      dead: { isExact: false },
    })
    await expect(inbox.prune()).rejects.toMatchObject({
      code: 'shard_failed',
      message: expect.stringMatching(/^Shard 2 of 2 does not answer \(unavailable\)/),
    })
    await expect(inbox.gaps.count()).rejects.toMatchObject({ code: 'shard_failed' })
    const [first] = inbox.shards
    expect(await first?.entries.get(here.event.id)).toMatchObject({ eventId: here.event.id })
    await expect.poll(() => handled).toEqual([here.event.id])
    expect(await inbox.drain({})).toMatchObject({ isEmpty: false })

    await runSql(server, `create database ${name}`)
    await expect
      .poll(() => inbox.accept(gone).catch(() => 'rejected'), { timeout: 15_000 })
      .toBe('stored')
    await expect.poll(() => handled).toEqual([here.event.id, gone.event.id])
    expect(await inbox.health()).toMatchObject({ ok: true, problems: [] })
    await inbox.stop()
    await expect(inbox.accept(here)).rejects.toMatchObject({ code: 'not_running' })
  }, 30_000)

  it('does not start if all shards are down, and says why', async () => {
    const nowhere = new URL(inject('postgresUrl'))
    nowhere.pathname = '/nowhere'
    const inboxes = ['one', 'two'].map((schema) =>
      createInbox({ database: nowhere.href, schema, instance: schema }),
    )
    const inbox = open(inboxes)
    await expect(inbox.start()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(inbox.work({})).rejects.toMatchObject({ code: 'not_running' })
    expect(await inbox.health()).toMatchObject({ ok: false, database: 'down', backlog: null })
  })

  it('drains the other while one shard hangs', async () => {
    const schemas = ['feed_inbox', 'hung_inbox']
    const warnings: unknown[] = []
    const inbox = open(
      schemas.map((schema) => createInbox({ database: database(), schema, instance: schema })),
      { onError: (error) => warnings.push(error) },
    )
    await inbox.start()
    const delivery = ofFirst?.()
    if (delivery) await inbox.accept(delivery)
    const { unlock } = await lockTable(database(), 'hung_inbox.entry_body')
    const drained = await inbox.drain({ '*': () => {} })
    await unlock()
    expect(drained).toEqual({ handled: 1, failed: 0, isEmpty: false })
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'no_answer' }))
  }, 30_000)

  it('reports health in time while one shard hangs, and stores in the other', async () => {
    const schemas = ['feed_inbox', 'other_inbox']
    const inbox = open(
      schemas.map((schema) => createInbox({ database: database(), schema, instance: schema })),
    )
    await inbox.start()
    const { unlock } = await lockTable(database(), 'other_inbox.entry')
    const delivery = ofFirst?.()
    expect(delivery && (await inbox.accept(delivery))).toBe('stored')
    const askedAt = performance.now()
    const health = await inbox.health()
    expect(performance.now() - askedAt).toBeLessThan(5_000)
    expect(health).toMatchObject({
      ok: false,
      database: 'up',
      error: 'timeout',
      problems: [{ message: expect.stringMatching(/^Shard 2 of 2: .*timeout/) }],
      gaps: null,
    })
    await unlock()
    await expect.poll(() => inbox.health()).toMatchObject({ ok: true })
  })
})

describe('one more shard', () => {
  const database = useDatabase('postgres')
  const schemas = ['one', 'two', 'three']
  const make = (number: number) =>
    schemas
      .slice(0, number)
      .map((schema) => createInbox({ database: database(), schema, instance: schema }))

  it('loses and duplicates nothing while receivers with the old and the new number run', async () => {
    const until = new Date(Date.now() + 60_000)
    const before = open(make(2))
    const after = open(make(3), { previous: { shards: 2, until } })
    await before.start()
    await after.start()
    // During the deploy, both receive every event, concurrently and in either order.
    const early = Array.from({ length: 90 }, () => eventAt(-30_000))
    const results = await Promise.all(
      early.flatMap((delivery, index) => {
        const both = [before, after].map((inbox) => () => inbox.accept(delivery))
        return (index % 2 === 0 ? both : both.toReversed()).map((accept) => accept())
      }),
    )
    expect(results.filter((result) => result === 'stored')).toHaveLength(90)
    expect(results.filter((result) => result === 'duplicate')).toHaveLength(90)
    // After the time, all processes have the new number. Duplicates of earlier events still arrive.
    const late = Array.from({ length: 90 }, () => eventAt(60_000))
    const others = await Promise.all([...early, ...late].map((delivery) => after.accept(delivery)))
    expect(others).toEqual([...early.map(() => 'duplicate'), ...late.map(() => 'stored')])
    const counts = await Promise.all(after.shards.map(({ entries }) => entries.count()))
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(180)
    expect(Math.min(...counts.map(({ count }) => count))).toBeGreaterThan(0)
  }, 60_000)

  it('reports a process that was updated too late', async () => {
    const warnings: unknown[] = []
    const until = new Date(Date.now() - 3_600_000)
    const inbox = open(make(3), {
      previous: { shards: 2, until },
      onError: (error) => warnings.push(error),
    })
    await inbox.start()
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'shard_misplaced' }))
  })

  it('does not open if `previous` is missing', async () => {
    const inbox = open(make(3))
    const starting = inbox.start()
    // The new shard waits for the start, so reads skip it.
    const accepting = inbox.accept(eventAt(0))
    await expect(accepting).rejects.toMatchObject({ code: 'wrong_shard' })
    await expect(starting).rejects.toMatchObject({ code: 'wrong_shard' })
    await expect(inbox.accept(eventAt(0))).rejects.toMatchObject({ code: 'not_running' })
  })

  it('does not open inboxes that are listed in another order', async () => {
    const inbox = open(make(2).toReversed())
    await expect(inbox.start()).rejects.toMatchObject({ code: 'wrong_shard' })
    await expect(inbox.accept(eventAt(0))).rejects.toMatchObject({ code: 'not_running' })
  })

  function eventAt(ms: number) {
    const created_at = new Date(Date.now() + ms).toISOString()
    return deliveryOf(makeEvent({ created_at }))
  }
})

describe('invalid shards', () => {
  const database = useDatabase('postgres')
  const inbox = createInbox({ instance: '1' })

  it.each<[string, Inbox[]]>([
    ['pass 1 to 1000 inboxes', []],
    ['each once', [inbox, inbox]],
    ['same option source', [inbox, createInbox({ source: 'other' })]],
    ['its own option instance', [createInbox(), createInbox()]],
  ])('are rejected: %s', (message, inboxes) => {
    expect(() => shardInbox(inboxes)).toThrow(message)
  })

  it('do not start if only some are ordered', async () => {
    const of = (schema: string, ordered?: 'subject') =>
      createInbox({ database: database(), schema, instance: schema, ordered })
    const starting = open([of('one'), of('two', 'subject')]).start()
    await expect(starting).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining('same option ordered'),
    })
  })
})

function open(...[inboxes, options]: Parameters<typeof shardInbox>): ShardedInbox {
  const inbox = shardInbox(inboxes, options)
  onTestFinished(() => inbox.stop())
  return inbox
}

function deliveriesOf(isWanted: (delivery: ReturnType<typeof deliveryOf>) => boolean) {
  for (;;) {
    const delivery = deliveryOf(makeEvent())
    if (isWanted(delivery)) return delivery
  }
}
