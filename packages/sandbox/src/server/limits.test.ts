import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { startProgram } from '../../../../test/support/start-program.ts'
import { createTestDatabase } from '../../../../test/support/postgres.ts'
import { filledKinds } from '../../../../test/support/databases.ts'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'

describe.each(filledKinds)('limits on %s', (kind) => {
  const made = useSandbox({ historyDays: 0 }, kind)
  const accountId = 'acct_sandbox'

  it('accept 120 requests in a minute and reject the next [R109, R224, R227, R228, R229, R230]', async () => {
    const { get, sandbox } = made()
    const at = '2027-02-03T04:05:30.000Z'
    await sandbox.control.moveClock({ to: 'freeze', at })
    const answers = await Promise.all(Array.from({ length: 121 }, () => get('/v1/events')))
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(120)
    // Every one of them has a index of its own.
    const positions = passed.map(({ body }) => body.usage.requests)
    expect(new Set(positions).size).toBe(120)
    expect(Math.max(...positions) - Math.min(...positions)).toBe(119)

    const rejected = await get('/v1/events')
    expect(rejected).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(limitsOf(rejected.headers)).toEqual({
      'retry-after': '30',
      'x-ratelimit-scope': 'burst',
      'x-ratelimit-limit': '100000',
      'x-ratelimit-remaining': String(100_000 - Math.max(...positions)),
      'x-ratelimit-reset': '2027-03-01T00:00:00.000Z',
    })
    await sandbox.control.moveClock({ to: 'advance', byMs: 30_000 })
    const next = await get('/v1/events')
    // What was rejected was not charged.
    expect(next.body.usage.requests).toBe(Math.max(...positions) + 1)
    expect(limitsOf(next.headers)).toEqual({
      'x-ratelimit-limit': '100000',
      'x-ratelimit-remaining': String(100_000 - next.body.usage.requests),
      'x-ratelimit-reset': '2027-03-01T00:00:00.000Z',
      'x-ratelimit-burst-limit': '120',
      'x-ratelimit-burst-remaining': '119',
      'x-ratelimit-burst-reset': '2027-02-03T04:07:00.000Z',
    })
  })

  it('accept the last request of a month and reject the next [R51, R52, R53, R54, R224, R226]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    await control.moveClock({ to: 'freeze', at: '2027-04-30T23:59:59.500Z' })
    await control.changeAccount({ id: accountId, usageLimit: 3 })
    const used = [await get('/v1/events'), await get('/v1/events'), await get('/v1/account-events')]
    expect(used.map(({ status, body }) => [status, body.usage])).toEqual(
      [1, 2, 3].map((requests) => [
        200,
        { requests, limit: 3, period: '2027-04', resetsAt: '2027-05-01T00:00:00.000Z' },
      ]),
    )
    const rejected = await get('/v1/events')
    expect(rejected).toMatchObject({ status: 429, body: { code: 'usage_limit_reached' } })
    expect(limitsOf(rejected.headers)).toEqual({
      'retry-after': '1',
      'x-ratelimit-scope': 'usage_period',
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '2027-05-01T00:00:00.000Z',
    })
    await control.moveClock({ to: 'advance', byMs: 500 })
    expect((await get('/v1/events')).body.usage).toMatchObject({ requests: 1, period: '2027-05' })

    await control.moveClock({ to: 'freeze', at: '2027-05-01T00:00:00.000Z' })
    await control.changeAccount({ id: accountId, usageLimit: 1 })
    const waiting = await get('/v1/events')
    expect(waiting.headers.get('retry-after')).toBe('2678400')
    await control.changeAccount({ id: accountId, usageLimit: 100_000 })
  })

  it('charge every accepted request and no other [R9, R79, R139, R188, R225, R231]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    await control.moveClock({ to: 'freeze', at: '2028-01-01T00:00:00.000Z' })
    const used = async () => (await get('/v1/events')).body.usage.requests - 1
    expect(await used()).toBe(0)
    await get('/v1/events?limit=0')
    await get('/v1/nothing')
    await get('/v1/events', { method: 'POST', body: '{' })
    await get('/v1/events', { method: 'HEAD' })
    await get('/v1/account-events/event_0')
    await get('/v1/account-events/%zz')
    expect(await used()).toBe(7)

    await get('/v1/events', { key: null })
    await get('/v1/events', { key: 'feed_live_unknown' })
    await get('/v1/schema.json', { key: null })
    await control.changeAccount({ id: accountId, proActive: false })
    expect(await get('/v1/events')).toMatchObject({ status: 403, body: { code: 'pro_required' } })
    await control.changeAccount({ id: accountId, proActive: true })
    expect(await used()).toBe(8)
  })

  it('belong to the account, not to the key [R55]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    await control.moveClock({ to: 'freeze', at: '2028-02-01T00:00:00.000Z' })
    const other = await control.createKey({ accountId, name: 'another' })
    await get('/v1/events')
    expect((await get('/v1/events', { key: other.key })).body.usage.requests).toBe(2)
    await control.createAccount({ id: 'acct_other', name: 'Another account' })
    const foreign = await control.createKey({ accountId: 'acct_other', name: 'theirs' })
    expect((await get('/v1/events', { key: foreign.key })).body.usage.requests).toBe(1)
  })

  it('reset when the clock is moved back', async () => {
    const { get, sandbox } = made()
    await sandbox.control.moveClock({ to: 'freeze', at: '2020-06-01T00:00:00.000Z' })
    const { usage } = (await get('/v1/events')).body
    expect(usage).toMatchObject({ requests: 1, period: '2020-06' })
  })
})

describe('two processes', () => {
  it('share the limit of a minute exactly [R193, R230]', async () => {
    const database = await createTestDatabase({ url: inject('postgresUrl') })
    const own = await startSandbox({ database: database.url, historyDays: 0 })
    await own.sandbox.control.moveClock({ to: 'freeze', at: '2027-01-01T00:00:00.000Z' })
    const children = [1, 2].map(() =>
      startProgram(new URL('../../test/sandbox-process.ts', import.meta.url), [database.url]),
    )
    onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')))
    const urls = await Promise.all(children.map((child) => child.nextLine()))
    const ask = async (index: number) => {
      const headers = { authorization: `Bearer ${own.key}` }
      return (await fetch(`${urls[index % 2]}/v1/events`, { headers })).status
    }
    const statuses = await Promise.all(Array.from({ length: 300 }, (_, index) => ask(index)))
    const count = (wanted: number) => statuses.filter((status) => status === wanted).length
    expect([count(200), count(429)]).toEqual([120, 180])

    // One revokes, and the others know.
    const { id } = (await own.sandbox.control.listKeys())[0] ?? { id: 0 }
    await own.sandbox.control.revokeKey({ id })
    expect([await ask(0), await ask(1)]).toEqual([401, 401])
    await own.sandbox.stop()
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map((child) => child.ended))
    await database.drop()
  })
})

function limitsOf(headers: Headers): Record<string, string> {
  const names = [...headers].filter(([name]) => /^(x-ratelimit|retry-after)/.test(name))
  return Object.fromEntries(names)
}
