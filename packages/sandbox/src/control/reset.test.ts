import { openDatabase, type Database } from '@feed-receiver/database'
import { expect, it, onTestFinished } from 'vitest'
import { createTarget, describeOnEach, embedded } from '../../../../test/support/databases.ts'
import { openApp } from '../../test/open-app.ts'
import { startSandbox, useSandbox } from '../../test/use-sandbox.ts'
import { truncatedTables } from './history.ts'

/** The tables that a reset leaves. Any other is in `truncatedTables`, or begins anew as `allowance` does. */
const stay = `
  account api_key clock setting migration migration_lock
  destination destination_secret delivery_fault api_fault
`
  .trim()
  .split(/\s+/)

describeOnEach('a reset on %s', (kind) => {
  const made = useSandbox({ historyDays: 2, historyEndsAt: new Date('2026-10-01') }, kind)

  it('restores the same history, and keeps keys and cursors valid', embedded, async () => {
    const { get, act, sandbox } = made()
    const fresh = await sandbox.control.export()
    expect(fresh.events.length).toBeGreaterThan(20)
    await sandbox.control.composeEvent({ id: 'gone' })
    await sandbox.control.composeAccountEvent({ accountId: 'acct_sandbox' })
    const { nextCursor } = (await get('/v1/events')).body

    expect((await act('reset')).status).toBe(200)
    const again = await sandbox.control.export()
    expect(again.events).toEqual(fresh.events)
    expect(again.accountEvents).toEqual(fresh.accountEvents)
    const page = await get(`/v1/events?limit=200&confirmation=confirmed&cursor=${nextCursor}`)
    expect(page.body.usage.requests).toBe(1)
    expect(page.body.data.length).toBeGreaterThan(20)
  })

  it('deletes deliveries, and keeps destinations and fault rules', embedded, async () => {
    const { control } = made().sandbox
    const app = await openApp()
    const { id, secret } = await control.createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    app.secrets = [secret ?? '']
    await control.testDestination({ id })
    await control.composeEvent({})
    await control.createDeliveryFault({ fault: 'jitter', destinationId: id })
    await control.createApiFault({ surface: 'account-event', fault: { kind: 'cut' } })
    await control.reset()
    expect(await control.listDeliveryFaults()).toMatchObject([{ fault: 'jitter' }])
    expect(await control.listApiFaults()).toMatchObject([{ surface: 'account-event' }])
    expect(await control.listDeliveries()).toEqual([])
    expect(await control.listDestinations()).toMatchObject([{ id, state: 'active' }])
    const event = await control.composeEvent({})
    await expect.poll(() => app.inbox.entries.has(event.id)).toBe(true)
  })

  it('leaves no secret in an export', async () => {
    const { sandbox, key } = made()
    const exported = JSON.stringify(await sandbox.control.export())
    expect(exported).not.toContain(key)
    expect(exported).not.toMatch(/feed_live_|feed_whsec_|sha256/)
  })
})

it('a reset in a later hour publishes no other events under the ids of the earlier ones', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const { sandbox } = await startSandbox({ database: target, historyDays: 1 })
  onTestFinished(() => sandbox.stop())
  const { control } = sandbox
  const idsNow = async () => {
    const exported = JSON.stringify(await control.export())
    return [...new Set(exported.match(/"(?:evt|event|inc)_[0-9a-f]+"/g))]
  }
  const seen = new Set(await idsNow())
  for (const byMs of [2 * 3_600_000, 4 * 3_600_000]) {
    await control.moveClock({ to: 'shift', byMs })
    await control.reset()
    const ids = await idsNow()
    expect(ids.length).toBeGreaterThan(20)
    expect(ids.filter((id) => seen.has(id))).toEqual([])
    for (const id of ids) seen.add(id)
  }
})

it('a reset covers every table', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  const { sandbox, act } = await startSandbox({ database: target, historyDays: 2 })
  const { control } = sandbox
  const accountId = 'acct_sandbox'
  const app = await openApp()
  const { id } = await control.createDestination({ accountId, name: 'App', url: app.url })
  await control.testDestination({ id })
  await control.createDeliveryFault({ fault: 'reorder', destinationId: id })
  await control.createApiFault({ surface: 'mcp', fault: { kind: 'cut' } })
  await control.composeAccountEvent({ accountId })
  await act('create-account', { id: 'acct_second', name: 'Second' })
  // So that the journal is written.
  await control.listRequests()
  const database = openDatabase(target)
  const before = await readTables(database)
  await control.reset()
  const after = await readTables(database)
  await database.close()
  await sandbox.stop()

  const decided = [...truncatedTables, ...stay, 'allowance'].toSorted()
  expect([...before.keys()].toSorted()).toEqual(decided)
  for (const table of [...truncatedTables, ...stay])
    expect([table, before.get(table)]).not.toEqual([table, []])
  for (const table of stay) expect([table, after.get(table)]).toEqual([table, before.get(table)])
  for (const table of truncatedTables) {
    const left = before.get(table)?.filter((row) => after.get(table)?.includes(row))
    expect([table, left]).toEqual([table, []])
  }
}, 60_000)

/** Every row of every table of the sandbox, as text. */
async function readTables(database: Database): Promise<Map<string, string[]>> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'sandbox'`,
  )
  const read = new Map<string, string[]>()
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: string }>(
      `select one::text as row from sandbox.${name} one order by 1`,
    )
    read.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return read
}
