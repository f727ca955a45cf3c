import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openDatabase } from '@feed-receiver/database'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createTarget } from '../../../../../test/support/databases.ts'
import { openApp, type Answer, type TestApp } from '../../../test/open-app.ts'
import { startSandbox, useSandbox } from '../../../test/use-sandbox.ts'
import { deliveryFaults, type DeliveryFault } from '../../faults/delivery-faults.ts'
import type { StoredDelivery } from './deliveries.ts'

describe('a fault rule', () => {
  const made = useSandbox({ historyDays: 0 })
  const control = () => made().sandbox.control
  let app: TestApp
  let id: string

  beforeEach(async () => {
    for (const old of await control().listDestinations()) await control().deleteDestination(old)
    for (const old of await control().listDeliveryFaults()) await control().deleteDeliveryFault(old)
    await control().moveClock({ to: 'reset' })
    app = await openApp()
    const created = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
    })
    id = created.id
    app.secrets = [created.secret ?? '']
    await control().testDestination({ id })
  })

  it.each<[DeliveryFault, number, string | null]>([
    ['late', 503, null],
    ['future', 503, null],
    ['wrong_secret', 401, null],
    ['truncated', 401, null],
    ['reserialised', 401, null],
    ['bom', 202, 'not_json'],
    ['other_header_id', 202, 'id_mismatch'],
    ['schema_2', 202, 'schema_version'],
  ])('%s makes a receiver answer %i', async (fault, status, quarantined) => {
    await control().createDeliveryFault({ fault, destinationId: id, times: 1 })
    const event = await control().composeEvent({})
    await expect.poll(async () => (await delivery(event.id))?.lastStatus).toBe(status)
    const detailed = await control().findDelivery({ id: (await delivery(event.id))?.id ?? 0 })
    expect(detailed?.attemptList[0]).toMatchObject({ fault, status })
    expect(app.inbox.quarantined.length).toBe(quarantined ? 1 : 0)
    expect(await control().listDeliveryFaults()).toEqual([])
  })

  it('duplicate sends every accepted attempt twice', async () => {
    await control().createDeliveryFault({ fault: 'duplicate' })
    const event = await control().composeEvent({})
    await expect.poll(() => arrivalsOf(event.id)).toBe(2)
    expect(app.inbox.entries.size).toBe(2)
  })

  it('duplicate ends before the lease, although nothing answers the second request', async () => {
    await control().createDeliveryFault({ fault: 'duplicate' })
    const never = new Promise<Answer>(() => undefined)
    app.answer = () => (app.arrivals.length > 2 ? never : { status: 202 })
    const event = await control().composeEvent({})
    await expect.poll(() => arrivalsOf(event.id)).toBe(2)
    await expect
      .poll(() => delivery(event.id), { timeout: 9_000 })
      .toMatchObject({ state: 'delivered', attempts: 1 })
  }, 20_000)

  it('lose_answer delivers an accepted event again', async () => {
    await control().createDeliveryFault({ fault: 'lose_answer', times: 1 })
    await control().moveClock({ to: 'freeze' })
    const event = await control().composeEvent({})
    await expect
      .poll(() => delivery(event.id))
      .toMatchObject({ state: 'scheduled', reason: 'lost_by_fault', lastStatus: 202 })
    await control().moveClock({ to: 'advance', byMs: 30_000 })
    await expect
      .poll(() => delivery(event.id))
      .toMatchObject({ state: 'delivered', lastStatus: 200 })
  })

  it('of two equal rules one fails the attempt, and the other the next one', async () => {
    for (const fault of ['answer_503', 'answer_503'] as const)
      await control().createDeliveryFault({ fault, times: 1 })
    await control().moveClock({ to: 'freeze' })
    const event = await control().composeEvent({})
    const failed = { state: 'scheduled', lastStatus: 503 }
    await expect.poll(() => delivery(event.id)).toMatchObject({ ...failed, attempts: 1 })
    await control().moveClock({ to: 'advance', byMs: 30_000 })
    await expect.poll(() => delivery(event.id)).toMatchObject({ ...failed, attempts: 2 })
    await control().moveClock({ to: 'advance', byMs: 60_000 })
    await expect.poll(() => delivery(event.id)).toMatchObject({ state: 'delivered', attempts: 3 })
  })

  it('reorder changes the order of events', async () => {
    await control().createDeliveryFault({ fault: 'reorder' })
    await control().moveClock({ to: 'freeze' })
    await control().composeEvent({ id: 'evt_b' })
    await control().composeEvent({ id: 'evt_a' })
    await control().composeEvent({ id: 'evt_c' })
    const arrived = () =>
      app.arrivals.map(({ eventId }) => eventId).filter((each) => each.length < 6)
    await expect.poll(async () => (await delivery('evt_a'))?.state).toMatch(/delivered|scheduled/)
    await expect.poll(() => arrived().length).toBeGreaterThan(0)
    await control().moveClock({ to: 'advance', byMs: 10_000 })
    await expect.poll(() => arrived().length).toBe(3)
    expect(arrived()).not.toEqual(['evt_b', 'evt_a', 'evt_c'])
  })

  it.each([
    ['answer_503', { state: 'scheduled', lastStatus: 503, reason: 'server_error' }],
    ['no_answer', { state: 'scheduled', lastErrorCode: 'deadline', reason: 'timeout' }],
    ['answer_410', { state: 'rejected', lastStatus: 410, reason: 'rejected' }],
  ] as const)('%s fails the next delivery before it reaches the app', async (fault, outcome) => {
    await control().createDeliveryFault({ fault, times: 1 })
    const event = await control().composeEvent({})
    await expect.poll(() => delivery(event.id)).toMatchObject({ ...outcome, attempts: 1 })
    expect(arrivalsOf(event.id)).toBe(0)
    expect(await control().listDeliveryFaults()).toEqual([])
    const isPausing = outcome.state === 'rejected'
    const [destination] = await control().listDestinations()
    expect(destination?.state).toBe(isPausing ? 'paused' : 'active')
    if (isPausing) await control().testDestination({ id })
  })

  it('end_unlisted ends a delivery without pausing the destination [R179]', async () => {
    await control().createDeliveryFault({ fault: 'end_unlisted' })
    app.answer = () => ({ status: 302, headers: { location: '/elsewhere' } })
    const event = await control().composeEvent({})
    await expect
      .poll(() => delivery(event.id))
      .toMatchObject({ state: 'rejected', reason: 'ended_by_fault', lastStatus: 302 })
    expect((await control().listDestinations())[0]?.state).toBe('active')
    // `pause` would say that the answer paused the destination.
    const [ended] = await control().listDeliveries({ eventId: event.id })
    expect(ended?.attemptList).toMatchObject([{ outcome: 'retry', cause: 'ended_by_fault' }])
    expect(arrivalsOf(event.id)).toBe(1)
  })

  it('hold_paused holds due deliveries until the destination resumes [R92]', async () => {
    await control().createDeliveryFault({ fault: 'hold_paused' })
    await control().moveClock({ to: 'freeze' })
    app.answer = () => ({ status: 503 })
    const event = await control().composeEvent({})
    await expect.poll(() => delivery(event.id)).toMatchObject({ state: 'scheduled', attempts: 1 })
    app.answer = () => ({ status: 410 })
    await control().composeEvent({})
    await expect.poll(async () => (await control().listDestinations())[0]?.state).toBe('paused')
    await control().moveClock({ to: 'advance', byMs: 30_000 })
    await expect
      .poll(() => delivery(event.id))
      .toMatchObject({ state: 'held', reason: 'destination_paused' })
    app.answer = null
    await control().testDestination({ id })
    await expect.poll(() => delivery(event.id)).toMatchObject({ state: 'delivered', attempts: 2 })
  })

  it('send_corrections delivers a correction with the id of its event', async () => {
    await control().createDeliveryFault({ fault: 'send_corrections' })
    const event = await control().composeEvent({})
    await expect.poll(() => arrivalsOf(event.id)).toBe(1)
    await control().changeEvent({ to: 'correct', id: event.id, content: { title: 'Corrected' } })
    await expect.poll(() => arrivalsOf(event.id)).toBe(2)
    await expect.poll(() => app.inbox.quarantined.length).toBe(1)
  })

  it('jitter lengthens a backoff by at most 10 % [R235]', async () => {
    await control().createDeliveryFault({ fault: 'jitter' })
    const { now } = await control().moveClock({ to: 'freeze' })
    app.answer = () => ({ status: 500 })
    const event = await control().composeEvent({})
    await expect.poll(() => delivery(event.id)).toMatchObject({ state: 'scheduled', attempts: 1 })
    const delayMs = ((await delivery(event.id))?.nextAttemptAt?.getTime() ?? 0) - now.getTime()
    expect(delayMs).toBeGreaterThan(30_000)
    expect(delayMs).toBeLessThanOrEqual(33_000)
  })

  it('is not used up by a delivery without an effect', async () => {
    const chat = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'Chat',
      url: 'https://hooks.slack.com/services/T000/B000/XXXX',
    })
    await control().createDeliveryFault({ fault: 'hold_paused' })
    const late = await control().createDeliveryFault({ fault: 'late', times: 1 })
    const { deliveryId } = await control().testDestination({ id: chat.id })
    const detailed = await control().findDelivery({ id: deliveryId })
    expect(detailed?.attemptList).toMatchObject([{ fault: null }])
    expect(await control().listDeliveryFaults()).toMatchObject([
      {},
      { fault: 'late', timesLeft: 1 },
    ])
    await control().deleteDeliveryFault(late)
    const event = await control().composeEvent({})
    await expect.poll(() => arrivalsOf(event.id)).toBe(1)
    for (const { id: one } of await control().listDeliveries({ eventId: event.id })) {
      expect((await control().findDelivery({ id: one }))?.attemptList[0]?.fault).toBeNull()
    }
    expect(await control().listDeliveryFaults()).toMatchObject([{ fault: 'hold_paused' }])
  })

  it.each([
    ['late', 'signed'],
    ['duplicate', 'signed'],
    ['lose_answer', 'sendChat'],
    ['jitter', 'sendChat'],
  ] as const)('%s is rejected for a chat because it has no effect', async (fault, why) => {
    const { id: destinationId } = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'Chat',
      url: 'https://hooks.slack.com/services/T000/B000/XXXX',
    })
    const answer = await made().act('create-delivery-fault', { fault, destinationId })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(answer.body.error).toContain(why)
    expect(await control().listDeliveryFaults()).toEqual([])
    for (const other of ['reorder', 'hold_paused', 'send_corrections'] as const) {
      await control().createDeliveryFault({ fault: other, destinationId })
    }
  })

  it.each([0, -1, 1.5, Number.NaN, 1e9])('is rejected for %d times', async (times) => {
    const rejected = control().createDeliveryFault({ fault: 'late', times })
    await expect(rejected).rejects.toMatchObject({ reason: 'bad_parameter' })
    // @ts-expect-error what callers without types do
    const unknown = control().createDeliveryFault({ fault: 'explode' })
    await expect(unknown).rejects.toMatchObject({ reason: 'bad_parameter' })
    expect(await control().listDeliveryFaults()).toEqual([])
  })

  it('is rejected after a permanent rule with the same fault', async () => {
    const { id: always } = await control().createDeliveryFault({ fault: 'late' })
    const answer = await made().act('create-delivery-fault', { fault: 'late', destinationId: id })
    expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    expect(answer.body.error).toContain(`Delete rule ${always} first`)
    await control().createDeliveryFault({ fault: 'future', destinationId: id })
    await control().createDeliveryFault({ fault: 'future' })
  })

  it('requires a known fault, valid times and an existing destination', async () => {
    const { act } = made()
    for (const fault of Object.keys(deliveryFaults)) {
      expect(await act('create-delivery-fault', { fault })).toMatchObject({ status: 200 })
    }
    expect(await act('create-delivery-fault', { fault: 'explode' })).toMatchObject({ status: 400 })
    expect(await act('create-delivery-fault', { fault: 'jitter', times: 1 })).toMatchObject({
      status: 400,
    })
    const destinationId = `dst_${'0'.repeat(24)}`
    expect(await act('create-delivery-fault', { fault: 'late', destinationId })).toMatchObject({
      status: 404,
    })
    expect(await act('delete-delivery-fault', { id: 999_999 })).toMatchObject({ status: 404 })
  })

  async function delivery(eventId: string): Promise<StoredDelivery | undefined> {
    return (await control().listDeliveries({ eventId }))[0]
  }

  function arrivalsOf(eventId: string): number {
    return app.arrivals.filter((arrival) => arrival.eventId === eventId).length
  }
})

it('duplicate counts the accepted request if the sandbox stops before the second', async () => {
  const { target, drop } = await createTarget('postgres')
  onTestFinished(drop)
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    response.writeHead(202)
    // After the test, the body of the answer never ends, so the second request waits.
    if (requests === 1) response.end()
    else response.write('...')
    request.resume()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { sandbox } = await startSandbox({ database: target, historyDays: 0 })
  const { control } = sandbox
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { id } = await control.createDestination({ accountId: 'acct_sandbox', name: 'App', url })
  await control.testDestination({ id })
  await control.createDeliveryFault({ fault: 'duplicate' })
  const event = await control.composeEvent({})
  await expect.poll(() => requests).toBe(2)
  await sandbox.stop()
  await using database = openDatabase(target)
  const { rows } = await database.query(
    'select state, attempts from sandbox.delivery where event_id = $1',
    [event.id],
  )
  expect(rows).toEqual([{ state: 'delivered', attempts: 1 }])
  expect(requests).toBe(2)
}, 20_000)
