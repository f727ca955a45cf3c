import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { describeOnEach, embedded, useDatabase } from '../../../test/support/databases.ts'
import { createInbox, Permanent, type Inbox } from './index.ts'
import { untilIdle } from './testing.ts'

describeOnEach('untilIdle on %s', (kind) => {
  const database = useDatabase(kind, 'inbox')
  let inbox: Inbox
  let sources = 0

  beforeEach(async () => {
    inbox = createInbox({ database: database(), source: `source_${(sources += 1)}` })
    await inbox.start()
    onTestFinished(() => inbox.stop())
  })

  it('waits until every event is handled, with any result', async () => {
    const ended: string[] = []
    for (const type of ['done', 'done', 'dead', 'other']) {
      await inbox.accept(deliveryOf(makeEvent({ type })))
    }
    await inbox.work({
      futureTypes: {
        done: async () => {
          await new Promise((resolve) => setTimeout(resolve, 50))
          ended.push('done')
        },
        dead: () => {
          ended.push('dead')
          throw new Permanent('no')
        },
      },
    })
    await untilIdle(inbox)
    expect(ended.toSorted()).toEqual(['dead', 'done', 'done'])
    expect(await inbox.entries.count({ state: 'received' })).toMatchObject({ count: 0 })
  })

  it('does not wait for a retry that is due later', async () => {
    let attempts = 0
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.work({
      '*': () => {
        attempts += 1
        throw new Error('later')
      },
    })
    await untilIdle(inbox)
    expect(attempts).toBe(1)
    expect(await inbox.entries.count({ state: 'received' })).toMatchObject({ count: 1 })
  })

  it('names pending events after a timeout', embedded, async () => {
    const event = makeEvent()
    await inbox.accept(deliveryOf(event))
    await expect(untilIdle(inbox, { timeoutMs: 50 })).rejects.toThrow(event.id)
  })

  it('rejects if the inbox is not running', async () => {
    await inbox.stop()
    await expect(untilIdle(inbox)).rejects.toThrow('not running')
  })
})
