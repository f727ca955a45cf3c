import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createTarget } from '../../../../test/support/databases.ts'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'

describe('a strict sandbox', () => {
  const made = useSandbox({ strict: true, historyDays: 0 })

  it.each([
    ['move-clock', { to: 'advance', byMs: 1000 }],
    ['create-api-fault', { surface: 'events', fault: { kind: 'cut' } }],
    ['create-delivery-fault', { fault: 'duplicate' }],
    ['retry-delivery', { id: 1 }],
    ['pause-destination', { id: `dst_${'0'.repeat(24)}` }],
    [
      'create-destination',
      {
        accountId: 'acct_sandbox',
        name: 'App',
        url: 'https://example.com/',
        secret: 'feed_whsec_mine',
      },
    ],
  ])('rejects actions that the service does not have: %s', async (name, input) => {
    expect(await made().act(name, input)).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: expect.stringMatching(/strict/) },
    })
  })

  it('rejects a secret for forwardTo', async () => {
    const forward = { url: 'https://example.com/', secret: 'feed_whsec_mine' }
    await expect(made().sandbox.control.forwardTo(forward)).rejects.toThrow(/strict/)
  })

  it('rejects a destination on this machine', async () => {
    const { act } = made()
    const url = 'http://127.0.0.1:9/feed'
    const input = { accountId: 'acct_sandbox', name: 'App', url }
    expect(await act('create-destination', input)).toMatchObject({ status: 400 })
  })

  it('still publishes composed events', async () => {
    const { act, get } = made()
    expect((await act('compose-event', {})).status).toBe(200)
    expect((await get('/v1/events')).body.data).toHaveLength(1)
  })
})

it('strict removes fault rules and clock shifts, and fresh deletes all data', async () => {
  const { target, drop } = await createTarget('pglite')
  const options = { database: target, historyDays: 0 }
  const earlier = await startSandbox(options)
  await earlier.sandbox.control.moveClock({ to: 'freeze', at: '2030-01-01T00:00:00Z' })
  await earlier.sandbox.control.createApiFault({ surface: 'events', fault: { kind: 'cut' } })
  await earlier.sandbox.control.createDeliveryFault({ fault: 'duplicate' })
  await earlier.sandbox.control.composeEvent({})
  await earlier.sandbox.stop()

  const strict = await startSandbox({ ...options, strict: true })
  const { control } = strict.sandbox
  expect(await control.readClock()).toMatchObject({ isFrozen: false, shiftMs: 0 })
  expect([await control.listApiFaults(), await control.listDeliveryFaults()]).toEqual([[], []])
  expect((await control.export()).events).toHaveLength(1)
  await strict.sandbox.stop()

  const fresh = await startSandbox({ ...options, fresh: true })
  expect((await fresh.sandbox.control.export()).events).toEqual([])
  await fresh.sandbox.control.composeEvent({})
  await fresh.sandbox.stop()
  // Only the first start forgets.
  await fresh.sandbox.start()
  expect((await fresh.sandbox.control.export()).events).toHaveLength(1)
  await fresh.sandbox.stop()
  await drop()
}, 90_000)

it('fresh starts a new embedded database as a copy of the template', async () => {
  const { target, drop } = await createTarget('pglite')
  if (typeof target === 'string') throw new Error('not a folder')
  const cache = join(target.folder, 'cache')
  vi.stubEnv('XDG_CACHE_HOME', cache)
  for (const [name, fresh] of [
    ['first', false],
    ['second', true],
  ] as const) {
    const database = { folder: join(target.folder, name) }
    const { sandbox } = await startSandbox({ database, fresh, historyDays: 0 })
    await sandbox.stop()
  }
  expect(await readdir(join(cache, 'feed-receiver'))).toHaveLength(1)
  await drop()
}, 90_000)
