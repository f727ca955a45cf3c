import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox, type InboxOptions } from '../index.ts'

const why = { reason: 'the pager is down', by: 'ada' }

describeOnEach('pauses on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  beforeAll(async () => {
    await using inbox = createInbox({ database: database() })
    await inbox.start()
  })

  it('show time, person and reason, and are recorded as operations', embedded, async () => {
    const inbox = await startInbox()
    expect(await inbox.pauses()).toEqual([])
    const since = expect.stringMatching(/^\d{4}-.*Z$/)
    const whole = { type: null, reason: why.reason, by: 'ada', since }
    const ofType = { type: 'outage_started', reason: 'wrong routing', by: null, since }
    expect(await inbox.pause(why)).toEqual([whole])
    expect(await inbox.pause({ types: ['outage_started'], reason: 'wrong routing' })).toEqual([
      ofType,
    ])
    expect(await inbox.pauses()).toEqual([whole, ofType])
    expect((await inbox.health()).pauses).toEqual([whole, ofType])
    expect(await inbox.resume({ by: 'grace' })).toEqual({
      resumed: [whole],
      stillPaused: [ofType],
    })
    const { operations } = await inbox.operations()
    expect(operations).toMatchObject([
      { kind: 'resume', by: 'grace', detail: 'the whole inbox', entryCount: 0 },
      { kind: 'pause', by: null, detail: 'outage_started: wrong routing' },
      { kind: 'pause', by: 'ada', detail: `the whole inbox: ${why.reason}` },
    ])
  })

  it('are rejected if one exists, with the person who created it', async () => {
    const inbox = await startInbox()
    await inbox.pause({ types: ['outage_started'], ...why })
    const again = inbox.pause({ types: ['model_release', 'outage_started'], reason: 'another' })
    await expect(again).rejects.toMatchObject({ code: 'already_paused' })
    await expect(again).rejects.toThrow(
      /The type 'outage_started' is already paused, since .* by ada: the pager is down\./,
    )
    expect(await inbox.pauses()).toHaveLength(1)
    expect((await inbox.operations()).operations).toHaveLength(1)
  })

  it('are created once by concurrent requests', async () => {
    const inbox = await startInbox()
    const both = await Promise.allSettled([inbox.pause(why), inbox.pause(why)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await inbox.operations()).operations).toHaveLength(1)
  })

  it('cannot be ended if there is none', async () => {
    const inbox = await startInbox()
    await expect(inbox.resume()).rejects.toThrow(
      'The inbox as a whole is not paused, so nothing was changed. Nothing is paused.',
    )
    await inbox.pause({ types: ['model_release'], ...why })
    const resumed = inbox.resume({ types: ['model_release', 'constructor'] })
    await expect(resumed).rejects.toMatchObject({ code: 'not_paused' })
    await expect(resumed).rejects.toThrow('Paused now: model_release.')
    expect(await inbox.pauses()).toHaveLength(1)
  })

  it('require a documented or stored type, or force', embedded, async () => {
    const inbox = await startInbox()
    const pause = (type: string, force?: boolean) =>
      inbox.pause({ types: ['model_release', type], ...why, force })
    await expect(pause('outage_start')).rejects.toThrow(`Did you mean 'outage_started'?`)
    for (const type of ['constructor', '__proto__', 'forecast']) {
      await expect(pause(type)).rejects.toMatchObject({ code: 'unknown_type' })
    }
    expect(await inbox.pauses()).toEqual([])
    await pause('forecast', true)
    await inbox.accept(deliveryOf(makeEvent({ type: 'constructor' })))
    await inbox.pause({ types: ['constructor'], ...why })
    expect((await inbox.pauses()).map(({ type }) => type)).toEqual([
      'constructor',
      'forecast',
      'model_release',
    ])
  })

  it.each([
    [{ types: [], reason: 'x' }, 'types'],
    [{ types: [''], reason: 'x' }, 'types'],
    [{ types: 'outage_started', reason: 'x' }, 'types'],
    [{ types: [7], reason: 'x' }, 'types'],
    [{ reason: ' ' }, 'reason'],
    [{ reason: 'x'.repeat(501) }, 'reason'],
    [{}, 'reason'],
  ])('of %j are rejected', async (options, name) => {
    const inbox = await startInbox()
    const rejected = inbox.pause(options as never)
    await expect(rejected).rejects.toMatchObject({ code: 'bad_option' })
    await expect(rejected).rejects.toThrow(name)
  })

  it.each([undefined, 'subject'] as const)(
    'do not affect worker health, but need attention after a day (ordered: %s)',
    embedded,
    async (ordered) => {
      const inbox = await startInbox(ordered && { ordered })
      const types = ['outage_started', 'outage_resolved']
      // One subject, so in an ordered inbox the second event waits behind the paused first one.
      for (const type of types) await inbox.accept(deliveryOf(makeEvent({ type })))
      await database().query(`update feed_inbox.job set start_after = now() - interval '1 hour'`)
      const codes = async () => (await inbox.health()).problems.map(({ code }) => code)
      expect(await codes()).toEqual(['nothing_claimed'])
      await inbox.pause({ types: ['outage_started'], ...why })
      expect(await codes()).toEqual(ordered ? [] : ['nothing_claimed'])
      expect((await inbox.health()).warnings).toEqual([])
      await inbox.pause({ types: ['outage_resolved'], ...why })
      expect(await codes()).toEqual([])
      await inbox.pause(why)
      expect(await codes()).toEqual([])
      expect((await inbox.health()).backlog?.paused).toEqual({ count: 2, isExact: true })
      await database().query(
        `update feed_inbox.pause set paused_at = now() - interval '25 hours' where type <> ''`,
      )
      const { ok, warnings } = await inbox.health()
      expect(ok).toBe(true)
      expect(warnings).toEqual([
        { code: 'paused_long', message: expect.stringContaining(`--type 'outage_resolved'`) },
        { code: 'paused_long', message: expect.stringContaining(`by ada: ${why.reason}`) },
      ])
    },
  )

  async function startInbox(options: InboxOptions = {}): Promise<Inbox> {
    sources += 1
    const inbox = createInbox({ database: database(), source: `source${sources}`, ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }
})
