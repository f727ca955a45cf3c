import { expect, it } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox } from '../index.ts'

// The embedded database knows capital letters beyond ASCII. The test server has no locale.
const database = useDatabase('pglite', 'inbox')

it('a search finds titles, types and subjects in any case', async () => {
  await using inbox = createInbox({ database: database() })
  await inbox.start()
  const { data } = makeEvent()
  const subject = { type: 'model', key: 'ÎLE' }
  const event = makeEvent({ type: 'ÉTAT', data: { ...data, title: 'ÂGE', subject } })
  await inbox.accept(deliveryOf(event))
  for (const search of ['âge', 'état', 'île']) {
    const { entries } = await inbox.entries.list({ search })
    expect(entries.map(({ eventId }) => eventId)).toEqual([event.id])
  }
})
