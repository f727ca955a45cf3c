import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, type Inbox } from '../index.ts'

describeOnEach('in a handler, on %s,', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let sources = 0

  it('the inbox may be used before the first statement', embedded, async () => {
    const inbox = await startInbox()
    const other = makeEvent()
    const seen = await handle(inbox, async () => {
      await inbox.pause({ types: ['outage_started'], reason: 'the pager is down', by: 'handler' })
      await inbox.accept(deliveryOf(other))
      return [await inbox.health(), await inbox.entries.get(other.id), await inbox.pauses()]
    })
    expect(seen).toEqual([
      expect.objectContaining({ ok: true, database: 'up' }),
      expect.objectContaining({ eventId: other.id }),
      [expect.objectContaining({ type: 'outage_started' })],
    ])
  })

  it('the inbox rejects after the first statement, and says why', embedded, async () => {
    const inbox = await startInbox()
    const seen = await handle(inbox, async (tx) => {
      await tx.query('select 1')
      return await Promise.allSettled([
        inbox.resume({ by: 'handler' }),
        inbox.entries.list(),
        inbox.accept(deliveryOf(makeEvent())),
        inbox.drain({}),
        inbox.health().then(({ problems }) => problems[0]?.message),
      ])
    })
    const rejected = { status: 'rejected', reason: expect.objectContaining({ code: 'inside_tx' }) }
    const unhealthy = { status: 'fulfilled', value: expect.stringMatching(/^A handler called/) }
    expect(seen).toEqual([rejected, rejected, rejected, rejected, unhealthy])
  })

  it('a stop waits for that handler no longer than for others', async () => {
    const inbox = await startInbox({ stopTimeoutMs: 300 })
    await inbox.accept(deliveryOf(makeEvent()))
    let onStopped: (stopped: unknown) => void = () => {}
    const stopped = new Promise<unknown>((resolve) => (onStopped = resolve))
    const stop = async ({ signal }: { signal: AbortSignal }) => {
      await inbox.stop()
      onStopped(signal.aborted)
    }
    await inbox.work({ '*': (_, context) => stop(context) }, { onFailed: () => {} })
    expect(await stopped).toBe(true)
  })

  async function startInbox(options: { stopTimeoutMs?: number } = {}): Promise<Inbox> {
    sources += 1
    const inbox = createInbox({ database: database(), source: `source${sources}`, ...options })
    onTestFinished(() => inbox.stop())
    await inbox.start()
    return inbox
  }

  type Tx = { query(text: string): Promise<unknown> }

  async function handle(inbox: Inbox, run: (tx: Tx) => Promise<unknown>): Promise<unknown> {
    let seen: unknown
    const event = makeEvent({ type: 'model_release' })
    await inbox.accept(deliveryOf(event))
    const handler = async ({ id }: { id: string }, { tx }: { tx: Tx }) => {
      if (id === event.id) seen = await run(tx)
    }
    expect(await inbox.drain({ '*': handler })).toMatchObject({ failed: 0 })
    return seen
  }
})
