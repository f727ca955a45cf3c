import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@feed-receiver/database'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../../test/support/databases.ts'
import { openApp } from '../../../test/open-app.ts'
import { startSandbox, useSandbox, type TestSandbox } from '../../../test/use-sandbox.ts'

const account = { accountId: 'acct_sandbox', name: 'App' }

describe('destinations', () => {
  const made = useSandbox({ historyDays: 0 })
  const control = () => made().sandbox.control
  beforeEach(() => removeAll(made()))

  it('become active only after a test answered with 2xx [R81, R82, R91, R197, R212, R213]', async () => {
    const app = await openApp()
    const { secret, ...created } = await control().createDestination({ ...account, url: app.url })
    expect(secret).toMatch(/^feed_whsec_[\w-]{43}$/)
    expect(created).toMatchObject({ kind: 'signed', state: 'new', address: app.url })
    const event = await control().composeEvent({})
    const [skipped] = await control().listDeliveries({ eventId: event.id })
    expect(skipped).toMatchObject({ state: 'skipped', reason: 'destination_new' })

    const rejected = await control().testDestination({ id: created.id })
    expect(rejected).toMatchObject({ isAccepted: false, status: 401, cause: 'rejected' })
    expect(rejected.destination.state).toBe('new')
    app.answer = () => ({ status: 500 })
    await control().testDestination({ id: created.id })
    const [failed] = await control().listDeliveries({ destinationId: created.id })
    expect(failed).toMatchObject({
      kind: 'test',
      state: 'test_failed',
      attempts: 1,
      nextAttemptAt: null,
    })
    app.answer = null
    app.secrets = [secret ?? '']
    const accepted = await control().testDestination({ id: created.id })
    expect(accepted.destination.state).toBe('active')
    app.answer = () => ({ status: 404 })
    expect((await control().testDestination({ id: created.id })).destination.state).toBe('active')
    const changes = await control().listDestinationChanges({ destinationId: created.id })
    expect(changes.map(({ change }) => change)).toEqual([
      'test_failed',
      'activated',
      'test_failed',
      'test_failed',
      'created',
    ])

    const tests = app.arrivals.map(({ body }) => JSON.parse(body))
    expect(new Set(tests.map(({ id }) => id)).size).toBe(4)
    expect(tests[0]).toMatchObject({
      schema_version: '1.0',
      type: 'destination_test',
      data: { subject: { type: 'destination', key: created.id } },
    })
    const listed = await made().get('/v1/events?limit=200&confirmation=all')
    expect(listed.text).not.toContain('destination_test')
  })

  it.each(['new', 'paused', 'active'] as const)(
    'stay %s after a failed test, and become active after another [R82, R87, R88, R89]',
    async (state) => {
      const app = await openApp()
      app.answer = () => ({ status: 202 })
      const { id } = await control().createDestination({ ...account, url: app.url })
      if (state !== 'new') await control().testDestination({ id })
      if (state === 'paused') await control().pauseDestination({ id })
      for (const status of [500, 410, 302]) {
        app.answer = () => ({ status })
        const { isAccepted, destination } = await control().testDestination({ id })
        expect({ isAccepted, state: destination.state }).toEqual({ isAccepted: false, state })
      }
      app.answer = () => ({ status: 202 })
      expect((await control().testDestination({ id })).destination.state).toBe('active')
    },
  )

  it('are limited to five, even when created concurrently [R232]', async () => {
    const url = (await openApp()).url
    const create = () => control().createDestination({ ...account, url })
    const results = await Promise.allSettled(Array.from({ length: 8 }, create))
    const rejected = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(rejected.map(({ reason }) => reason)).toEqual(Array(3).fill('destination_limit'))
    expect(await made().act('create-destination', { ...account, url })).toMatchObject({
      status: 409,
      body: { code: 'destination_limit' },
    })
    const [first] = await control().listDestinations()
    await control().deleteDestination({ id: first?.id ?? '' })
    expect((await create()).state).toBe('new')
  })

  it.each([
    ['no URL', 'localhost:3000'],
    ['another scheme', 'ftp://127.0.0.1/feed'],
    ['credentials', 'http://user:password@127.0.0.1/feed'],
    ['a metadata service', 'http://169.254.169.254/latest'],
    ['a chat, but not its incoming webhook', 'https://hooks.slack.com/workflows/T1/A1/1/x'],
    ['a chat, but not its incoming webhook', 'https://discord.com/channels/1'],
    ['a chat with a dot at the end of its host', 'https://hooks.slack.com./workflows/T1/A1/1/x'],
  ])('are rejected for %s [R177, R181]', async (_, url) => {
    const answer = await made().act('create-destination', { ...account, url })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.text).not.toContain('password')
  })

  it('are managed through the session and shown without secrets [R142, R197]', async () => {
    const { act, get, sandbox } = made()
    const url = `${(await openApp()).url}?token=hidden`
    const rules = { types: ['outage'], confirmation: 'all' }
    const created = await act('create-destination', { ...account, url, rules })
    const { id, secret } = created.body.data
    const changed = await act('change-destination', { id, name: 'Renamed', rules: { types: [] } })
    expect(changed.body.data).toMatchObject({
      name: 'Renamed',
      rules: { types: [], confirmation: 'all', providers: [], categories: [] },
    })
    await act('test-destination', { id })
    for (const name of ['destinations', 'destination-changes', 'deliveries', 'delivery-faults']) {
      const read = await get(`/_sandbox/api/${name}`, { key: sandbox.session })
      expect(read.status).toBe(200)
      expect(read.text).not.toContain('hidden')
      expect(read.text).not.toContain(secret)
    }
    const [delivery] = (await get('/_sandbox/api/deliveries', { key: sandbox.session })).body.data
    const detailed = await get(`/_sandbox/api/delivery?id=${delivery.id}`, { key: sandbox.session })
    expect(detailed.body.data.attemptList).toMatchObject([{ attempt: 1, status: 401 }])
    expect(await act('test-destination', { id: `dst_${'0'.repeat(24)}` })).toMatchObject({
      status: 404,
    })
    expect(await act('create-destination', { ...account, url, secret: 'mine' })).toMatchObject({
      status: 400,
    })
    expect(
      await act('create-destination', { ...account, accountId: 'acct_none', url }),
    ).toMatchObject({ status: 404 })
    expect((await act('delete-destination', { id })).body.data).toEqual({ cancelled: 0 })
    expect(await act('delete-destination', { id })).toMatchObject({ status: 404 })
    expect(await act('rotate-secret', { id })).toMatchObject({ status: 404 })
  })
})

describe('the database of a sandbox', () => {
  it('stores URLs and secrets encrypted, and erases deleted ones [R206, R208]', async () => {
    const { target, drop } = await createTarget('postgres')
    onTestFinished(drop)
    const { sandbox } = await startSandbox({ database: target, historyDays: 0 })
    const app = await openApp()
    const { id, secret } = await sandbox.control.createDestination({ ...account, url: app.url })
    await sandbox.control.rotateSecret({ id })
    const database = openDatabase(target)
    const dump = async () => {
      const { rows } = await database.query<{ text: string }>(
        `select (select string_agg(d::text, E'\n') from sandbox.destination d)
           || (select string_agg(s::text, E'\n') from sandbox.destination_secret s) as text`,
      )
      return rows[0]?.text ?? ''
    }
    const hex = (text: string) => Buffer.from(text).toString('hex')
    const kept = await dump()
    expect(kept).toContain(id)
    for (const text of [app.url, new URL(app.url).host, secret ?? '', 'feed_whsec_']) {
      expect(kept).not.toContain(text)
      expect(kept).not.toContain(hex(text))
    }
    // What was replaced is erased after seven days.
    const sealed = async () => (await dump()).split('\\x').length - 1
    expect(await sealed()).toBe(3)
    await sandbox.control.moveClock({ to: 'advance', byMs: 86_400_000 })
    await sandbox.control.listDestinations()
    expect(await sealed()).toBe(3)
    await sandbox.control.moveClock({ to: 'advance', byMs: 7 * 86_400_000 })
    await expect.poll(sealed).toBe(2)
    await sandbox.control.deleteDestination({ id })
    expect(await sealed()).toBe(0)
    await database.close()
    await sandbox.stop()
  })

  it('opens only with its own key, which only its owner can read [R208]', async () => {
    const { target, drop } = await createTarget('pglite')
    onTestFinished(drop)
    const folder = await mkdtemp(join(tmpdir(), 'feed-receiver-key-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = typeof target === 'string' ? '' : join(target.folder, 'encryption.key')
    const options = { database: target, historyDays: 0, encryptionKey: undefined }
    const first = await startSandbox(options)
    const { url } = await openApp()
    await first.sandbox.control.createDestination({ ...account, url })
    await first.sandbox.stop()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)

    const second = await startSandbox(options)
    expect(await second.sandbox.control.listDestinations()).toMatchObject([{ address: url }])
    await second.sandbox.stop()
    await writeFile(file, 'ab'.repeat(32))
    await expect(startSandbox(options)).rejects.toMatchObject({
      code: 'bad_option',
      message: expect.stringContaining(file),
    })
    await expect(startSandbox({ ...options, encryptionKey: 'short' })).rejects.toMatchObject({
      code: 'bad_option',
    })
  })
})

describe('strict destinations', () => {
  const made = useSandbox({ historyDays: 0, strictDestinations: true })

  it.each([
    'http://example.com/feed',
    'https://127.0.0.1/feed',
    'https://0x7f.1/feed',
    'https://[::ffff:10.0.0.1]/feed',
    'https://localhost/feed',
    'https://printer.local/feed',
    'https://no-such-host.invalid/feed',
  ])('reject %s [R176, R178, R180, R185]', async (url) => {
    const answer = await made().act('create-destination', { ...account, url })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.body.error).not.toMatch(/allowLocal|`/)
  })

  it('get no deliveries at an earlier local target [R178]', async () => {
    const { target, drop } = await createTarget('postgres')
    onTestFinished(drop)
    const app = await openApp()
    const first = await startSandbox({ database: target, historyDays: 0 })
    const { id } = await first.sandbox.control.createDestination({ ...account, url: app.url })
    await first.sandbox.stop()
    const strict = await startSandbox({ database: target, strictDestinations: true })
    const { isAccepted, status, errorCode } = await strict.sandbox.control.testDestination({ id })
    expect({ isAccepted, status, errorCode }).toEqual({
      isAccepted: false,
      status: null,
      errorCode: 'invalid_destination',
    })
    const [delivery] = await strict.sandbox.control.listDeliveries()
    const detailed = await strict.sandbox.control.findDelivery({ id: delivery?.id ?? 0 })
    expect(detailed?.attemptList[0]?.errorMessage).toBe('The target is not an https URL.')
    expect(app.arrivals).toEqual([])
    await strict.sandbox.stop()
  })
})

async function removeAll({ sandbox: { control } }: TestSandbox): Promise<void> {
  for (const { id } of await control.listDestinations()) await control.deleteDestination({ id })
}
