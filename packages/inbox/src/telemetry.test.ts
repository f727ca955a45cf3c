import type { FeedEvent } from '@feed-receiver/core'
import type { Tx } from '@feed-receiver/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, useDatabase } from '../../../test/support/databases.ts'
import { registerTelemetry } from '../../../test/support/register-telemetry.ts'
import { createInbox, type Inbox, type RunInTransaction } from './index.ts'
import { linksTo } from './telemetry/trace-context.ts'

describeOnEach('with an SDK of OpenTelemetry, the inbox on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  const failing = new Set<string>()
  let telemetry: ReturnType<typeof registerTelemetry>
  let inbox: Inbox

  beforeAll(async () => {
    telemetry = registerTelemetry()
    inbox = createInbox({ database: database() })
    await inbox.start()
  })
  afterAll(async () => {
    await inbox.stop()
    await telemetry.unregister()
  })

  it('counts delivery results and pending events', async () => {
    const delivery = deliveryOf(makeEvent({ type: 'nobody_handles' }))
    await inbox.accept(delivery)
    await inbox.accept(delivery)
    await inbox.accept(deliveryOf({ ...delivery.event, type: 'forged' }))
    const { event: _, ...unreadable } = deliveryOf({})
    await inbox.quarantine({ ...unreadable, eventId: null, detail: 'no event' }, 'not_an_event')
    expect(await measured('feed_receiver.inbox.deliveries')).toEqual({
      stored: 1,
      duplicate: 1,
      quarantined: 2,
    })
    expect(await measured('feed_receiver.inbox.backlog')).toEqual({ waiting: 1, running: 0 })
  })

  it('links the span of each attempt to the acceptance, counts it and times it', async () => {
    await inbox.work({
      model_release: ({ id }) => {
        if (failing.has(id)) throw new Error('The page cannot be sent.')
      },
    })
    const event = makeEvent()
    failing.add(event.id)
    await inbox.accept(deliveryOf(event))
    await expect.poll(async () => (await inbox.entries.get(event.id))?.job?.state).toBe('retrying')
    await database().query(
      `update feed_inbox.job set start_after = now(), retry_limit = 1 where state = 'retry'`,
    )
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('dead')
    failing.clear()
    await inbox.entries.retry({ ids: [event.id] })
    await expect.poll(async () => (await inbox.entries.get(event.id))?.state).toBe('done')

    await expect.poll(() => spansOf(event.id)).toHaveLength(4)
    // A span is exported when it ends, and a worker may be faster than the response.
    const accepted = spansOf(event.id).find(({ name }) => name === 'inbox accept')
    const attempts = spansOf(event.id).filter((span) => span !== accepted)
    expect(accepted).toMatchObject({
      name: 'inbox accept',
      attributes: { 'feed.outcome': 'stored', 'feed.event.type': 'model_release' },
    })
    const { traceId, spanId } = accepted?.spanContext() ?? {}
    for (const attempt of attempts) {
      expect(attempt).toMatchObject({
        name: 'inbox handle',
        links: [{ context: { traceId, spanId } }],
      })
    }
    expect(attempts.map(({ attributes }) => attributes['feed.outcome'])).toEqual([
      'failed',
      'failed',
      'done',
    ])
    expect(await measured('feed_receiver.inbox.handled')).toEqual({
      skipped: 1,
      failed: 2,
      done: 1,
      dead: 1,
    })
    expect(await measured('feed_receiver.inbox.handler.duration')).toMatchObject({
      failed: { count: 2 },
      done: { count: 1 },
    })
  })

  it('counts no attempt whose transaction could not begin', async () => {
    let isDown = true
    const transaction: RunInTransaction<Tx> = async (run) => {
      if (!isDown) return await database().tx((tx) => run(tx, tx))
      isDown = false
      throw new Error('The app has no connection.')
    }
    const options = { database: database(), source: 'unbegun', transaction, onError: () => {} }
    await using unbegun = createInbox(options)
    await unbegun.start()
    const event = makeEvent()
    await unbegun.accept(deliveryOf(event))
    await unbegun.work({ '*': () => {} })
    const stateOf = async () => (await unbegun.entries.get(event.id))?.state
    await expect.poll(stateOf, { timeout: 5_000 }).toBe('done')
    await expect.poll(() => outcomesOf(event.id)).toEqual(['stored', 'unclaimed', 'done'])
    expect(await measured('feed_receiver.inbox.handled', 'unbegun')).toEqual({ done: 1 })
    expect(await measured('feed_receiver.inbox.handler.duration', 'unbegun')).toMatchObject({
      done: { count: 1 },
    })
  })

  it('counts pulled events, and events that push missed', async () => {
    const pulled = makeEvent({
      type: 'nobody_handles',
      created_at: '2026-11-03T01:00:00Z',
    }) as FeedEvent
    const at = (hour: number) => ({ stream: 'events', at: new Date(Date.UTC(2026, 10, 3, hour)) })
    await inbox.acceptPage([], at(0))
    await inbox.acceptPage([pulled], { ...at(2), expects: () => true })
    const changed = { ...pulled, data: { ...pulled.data, title: 'Better' } }
    await inbox.acceptPage([changed], at(3))
    expect(await measured('feed_receiver.inbox.pulled')).toEqual({ stored: 1, revised: 1 })
    expect(await measured('feed_receiver.inbox.gaps')).toEqual({ missed: 1, pull_only: 1 })
    await inbox.accept(deliveryOf(pulled))
    expect(await measured('feed_receiver.inbox.gaps')).toEqual({ missed: 0, pull_only: 0 })
  })

  function spansOf(eventId: string) {
    return telemetry.spans
      .getFinishedSpans()
      .filter(({ attributes }) => attributes['feed.event.id'] === eventId)
  }

  function outcomesOf(eventId: string) {
    return spansOf(eventId).map(({ attributes }) => attributes['feed.outcome'])
  }

  async function measured(name: string, source = 'feed'): Promise<Record<string, unknown>> {
    const all = await telemetry.collect()
    const points = all.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? []
    const ofSource = points.filter(({ attributes }) => attributes['feed.source'] === source)
    return Object.fromEntries(
      ofSource.map(({ attributes, value }) => [
        String(attributes['feed.outcome'] ?? attributes['feed.state'] ?? attributes['feed.kind']),
        value,
      ]),
    )
  }
})

describe('a stored trace context', () => {
  it('is linked only if it is valid', () => {
    const [traceId, spanId] = ['a'.repeat(32), 'b'.repeat(16)]
    expect(linksTo(`00-${traceId}-${spanId}-01`)).toEqual([
      { context: { traceId, spanId, traceFlags: 1, isRemote: true } },
    ])
    for (const none of [null, '', '00-a-b-01', `00-${'0'.repeat(32)}-${spanId}-01`]) {
      expect(linksTo(none)).toEqual([])
    }
  })
})
