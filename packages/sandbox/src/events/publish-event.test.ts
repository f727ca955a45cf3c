import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { drawEvent } from '../seed/draw-event.ts'
import { seededRandom } from '../seed/random.ts'
import type { OnPublish } from '../state/service-event.ts'
import { publishEvents } from './publish-event.ts'

describe('publishing', () => {
  const made = useSandbox({ historyDays: 0 })
  const behaviour = { firstCursor: 'tail', moveChanged: true } as const
  const confirmationState = 'confirmed'

  it('is one transaction with everything in it', async () => {
    await using database = openDatabase(made().options.database)
    await database.query('create table taken (event_id text)')
    const random = seededRandom('publishing')
    const draw = (id: string) => ({
      change: 'observed' as const,
      event: {
        ...drawEvent(random, { type: 'cli_update', at: new Date() }),
        id,
        confirmationState,
      } as const,
    })
    const take: OnPublish = async (tx, published) => {
      for (const { event } of published) {
        await tx.query('insert into taken values ($1)', [event.id])
        if (event.id === 'bad') throw new Error('not this one')
      }
    }
    const context = { database, behaviour, onPublish: [take] }
    await database.tx((tx) => publishEvents(tx, context, [draw('good')]))
    await expect(
      database.tx((tx) => publishEvents(tx, context, [draw('late'), draw('bad')])),
    ).rejects.toThrow('not this one')

    const { data } = (await made().get('/v1/events')).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['good'])
    expect((await database.query('select event_id from taken')).rows).toEqual([
      { event_id: 'good' },
    ])
  })

  it('keeps the position of a changed event if configured', async () => {
    await using database = openDatabase(made().options.database)
    const context = {
      database,
      behaviour: { ...behaviour, moveChanged: false },
      onPublish: [],
    }
    const event = {
      ...drawEvent(seededRandom('place'), { type: 'cli_update', at: new Date() }),
      confirmationState,
    } as const
    await database.tx((tx) =>
      publishEvents(tx, context, [{ event: { ...event, id: 'p1' }, change: 'observed' }]),
    )
    await database.tx((tx) =>
      publishEvents(tx, context, [{ event: { ...event, id: 'p2' }, change: 'observed' }]),
    )
    const changed = { ...event, id: 'p1', title: 'Put right' }
    await database.tx((tx) => publishEvents(tx, context, [{ event: changed, change: 'corrected' }]))
    const { data } = (await made().get('/v1/events?limit=2')).body
    expect(data).toMatchObject([{ id: 'p2' }, { id: 'p1', title: 'Put right' }])
  })
})
