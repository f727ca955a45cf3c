import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it } from 'vitest'
import { openApp } from '../../test/open-app.ts'
import { useSandbox } from '../../test/use-sandbox.ts'
import { drawEvent } from '../seed/draw-event.ts'
import { seededRandom } from '../seed/random.ts'
import { insertEvents } from './publish-event.ts'

describe('publishing', () => {
  const made = useSandbox({ historyDays: 0 })

  it('is one transaction with everything in it', async () => {
    const { sandbox, options, get } = made()
    const { control } = sandbox
    const app = await openApp()
    app.answer = () => ({ status: 204 })
    const { id } = await control.createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    await control.testDestination({ id })
    await using database = openDatabase(options.database)
    await database.query(
      `alter table sandbox.delivery add constraint not_this_one check (event_id <> 'bad')`,
    )
    await control.composeEvent({ id: 'good' })
    await expect(control.composeEvent({ id: 'bad' })).rejects.toThrow('not_this_one')

    const { data } = (await get('/v1/events')).body
    expect(data.map((event: { id: string }) => event.id)).toEqual(['good'])
    expect(await control.listDeliveries({ eventId: 'good' })).toHaveLength(1)
    expect(await control.listDeliveries({ eventId: 'bad' })).toEqual([])
    await control.deleteDestination({ id })
  })

  it('keeps the position of a changed event if configured', async () => {
    await using database = openDatabase(made().options.database)
    const event = {
      ...drawEvent(seededRandom('place'), { type: 'cli_update', at: new Date() }),
      confirmationState: 'confirmed',
    } as const
    const changed = { ...event, id: 'p1', title: 'Put right' }
    await database.tx(async (tx) => {
      await insertEvents(tx, [{ event: { ...event, id: 'p1' }, change: 'observed' }], false)
      await insertEvents(tx, [{ event: { ...event, id: 'p2' }, change: 'observed' }], false)
      await insertEvents(tx, [{ event: changed, change: 'corrected' }], false)
    })
    const { data } = (await made().get('/v1/events?limit=2')).body
    expect(data).toMatchObject([{ id: 'p2' }, { id: 'p1', title: 'Put right' }])
  })
})
