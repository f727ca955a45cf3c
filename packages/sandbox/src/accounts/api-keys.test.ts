import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it } from 'vitest'
import { useSandbox } from '../../test/use-sandbox.ts'
import { createSandbox } from '../index.ts'

const isKept = ({ name }: { name: string }) => name === 'kept'

describe('an API key', () => {
  const made = useSandbox({ historyDays: 0 })
  const accountId = 'acct_sandbox'

  it('is shown once and stored as a hash [R187, R189, R190, R191]', async () => {
    const { control } = made().sandbox
    const { key, id, display } = await control.createKey({ accountId, name: 'once' })
    expect(key).toMatch(/^feed_live_[\w-]{43}$/)
    expect(display).toBe(`feed_live_…${key.slice(-4)}`)
    const listed = (await control.listKeys()).find((one) => one.id === id)
    expect(listed).toMatchObject({ name: 'once', display, lastUsedAt: null, revokedAt: null })

    await made().get('/v1/events', { key })
    await made().get(`/v1/${key}`, { key })
    await control.listRequests()
    await using database = openDatabase(made().options.database)
    const { rows } = await database.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'sandbox'",
    )
    for (const { name } of rows) {
      const content = JSON.stringify((await database.query(`select * from sandbox.${name}`)).rows)
      expect(content).not.toContain(key.slice(10))
    }
  })

  it('is rejected at the next request after it is revoked [R193, R194]', async () => {
    const { get, sandbox } = made()
    const { key, id } = await sandbox.control.createKey({ accountId, name: 'revoked' })
    expect((await get('/v1/events', { key })).status).toBe(200)
    await sandbox.control.revokeKey({ id })
    const revoked = await get('/v1/events', { key })
    const unknown = await get('/v1/events', { key: `${key}x` })
    expect([revoked.status, revoked.text]).toEqual([401, unknown.text])
    await expect(sandbox.control.revokeKey({ id })).rejects.toThrow('No working API key')
  })

  it('is created once for its account and name, until it is revoked', async () => {
    const { options, sandbox } = made()
    const given = { accountId, name: 'kept' }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 5 }, () => sandbox.control.createKeyOnce(given)),
    )
    expect(new Set(others.map(({ key }) => key))).toEqual(new Set([first?.key]))
    const kept = async () => (await sandbox.control.listKeys()).filter(isKept)
    expect(await kept()).toMatchObject([{ id: first?.id, revokedAt: null }])

    await using database = openDatabase(options.database)
    const { rows } = await database.query<{ sealed: Buffer }>(
      "select sealed from sandbox.api_key where name = 'kept'",
    )
    expect(rows[0]?.sealed.toString('latin1')).not.toContain(first?.key.slice(10))
    // Another process, with the same database and encryption key.
    const again = createSandbox(options)
    await again.start()
    expect(await again.control.createKeyOnce(given)).toEqual(first)
    await again.stop()

    await sandbox.control.revokeKey({ id: first?.id ?? 0 })
    const next = await sandbox.control.createKeyOnce(given)
    expect(next.key).not.toBe(first?.key)
    const statusOf = async (key = '') => (await made().get('/v1/events', { key })).status
    expect([await statusOf(first?.key), await statusOf(next.key)]).toEqual([401, 200])
    // A key that is only shown once is another one.
    await sandbox.control.createKey(given)
    expect(await kept()).toHaveLength(3)
    await expect(
      sandbox.control.createKeyOnce({ accountId: 'acct_none', name: 'kept' }),
    ).rejects.toThrow('No account has this id')
    await expect(sandbox.control.createKeyOnce({ accountId, name: 'a\0' })).rejects.toThrow('name:')
  })

  it('is created anew if it is revoked at the same moment', async () => {
    const { control } = made().sandbox
    const given = { accountId, name: 'revoked meanwhile' }
    for (let round = 0; round < 50; round += 1) {
      const { id } = await control.createKeyOnce(given)
      const creating = Array.from({ length: 5 }, () => control.createKeyOnce(given))
      const revoking = control.revokeKey({ id })
      for (const { name } of await Promise.all(creating)) expect(name).toBe(given.name)
      await revoking
    }
  })

  it('records its last use by the sandbox clock [R192]', async () => {
    const { get, sandbox } = made()
    const { key, id } = await sandbox.control.createKey({ accountId, name: 'used' })
    const lastUse = async () =>
      (await sandbox.control.listKeys()).find((one) => one.id === id)?.lastUsedAt
    for (const at of ['2026-12-24T12:00:00.000Z', '2026-12-24T12:00:05.000Z']) {
      await sandbox.control.moveClock({ to: 'freeze', at })
      await get('/v1/events', { key })
      expect(await lastUse()).toEqual(new Date(at))
    }
  })

  it.each([
    ['nothing', undefined],
    ['another scheme', 'Basic feed_live_x'],
    ['no token', 'Bearer'],
    ['another prefix', 'Bearer feed_test_x'],
    ['two tokens', 'Bearer feed_live_x feed_live_y'],
    ['strange bytes', 'Bearer feed_live_\u00ff'],
    ['a long one', `Bearer feed_live_${'x'.repeat(65_536)}`],
  ])('is rejected in the same way: %s [R186, R194]', async (_, authorization) => {
    const { sandbox } = made()
    const headers = authorization === undefined ? {} : { authorization }
    const answer = await fetch(`${sandbox.url}/v1/events?api_key=${made().key}`, { headers })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="feed"')
    expect(await answer.json()).toEqual({
      code: 'unauthorized',
      error: expect.stringContaining('API key is missing or not valid'),
    })
  })

  it('may be sent with the scheme in any case [R186]', async () => {
    const { sandbox, key } = made()
    const headers = { authorization: `bEARER ${key}` }
    expect((await fetch(`${sandbox.url}/v1/events`, { headers })).status).toBe(200)
  })
})
