import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'

describe('the settings', () => {
  const made = useSandbox({ historyDays: 2 })

  it('come from the options until they are changed', async () => {
    const { sandbox, act, get } = made()
    expect(await sandbox.control.readSettings()).toEqual({ firstCursor: 'tail', moveChanged: true })
    expect((await get('/v1/events?limit=1')).body.hasMore).toBe(false)

    const changed = await act('change-settings', { firstCursor: 'replay' })
    expect(changed.body.data).toEqual({ firstCursor: 'replay', moveChanged: true })
    const { nextCursor, hasMore } = (await get('/v1/events?limit=1')).body
    expect(hasMore).toBe(true)
    expect((await get(`/v1/events?cursor=${nextCursor}`)).body.data.length).toBeGreaterThan(20)
    expect((await get('/developers', { key: null })).text).toContain('leads to the oldest event')

    await sandbox.control.changeSettings({ firstCursor: 'tail' })
    expect((await get('/v1/events?limit=1')).body.hasMore).toBe(false)
    expect((await get('/developers', { key: null })).text).toContain('leads only to later events')
  })

  it('decide whether a changed event appears again', async () => {
    const { sandbox, get } = made()
    const { control } = sandbox
    await control.composeEvent({ id: 'in_place' })
    await control.composeEvent({ id: 'moved' })
    const { nextCursor } = (await get('/v1/events')).body
    await control.changeSettings({ moveChanged: false })
    await control.changeEvent({ to: 'retract', id: 'in_place' })
    await control.changeSettings({ moveChanged: true })
    await control.changeEvent({ to: 'retract', id: 'moved' })
    const { data } = (await get(`/v1/events?cursor=${nextCursor}`)).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['moved'])
    expect(await control.findEvent({ id: 'in_place' })).toHaveProperty('retractedAt')
  })

  it.each([{ firstCursor: 'head' }, { moveChanged: 'no' }, { other: true }, []])(
    'are not changed by %j',
    async (changes) => {
      const { act, sandbox } = made()
      const before = await sandbox.control.readSettings()
      expect((await act('change-settings', changes)).status).toBe(400)
      expect(await sandbox.control.readSettings()).toEqual(before)
    },
  )
})
