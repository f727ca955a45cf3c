import { Stripe } from 'stripe'
import { beforeEach, expect, it } from 'vitest'
import { describeOnEach, embedded } from '../../../../../test/support/databases.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { useSandbox } from '../../../test/use-sandbox.ts'
import type { CreatedDestination } from '../destinations/create-destination.ts'
import type { MadeAttempt } from '../../state/delivery.ts'
import type { StoredDelivery } from './deliveries.ts'

describeOnEach('deliveries on %s', (kind) => {
  const attempts: MadeAttempt[] = []
  const onAttempt = (attempt: MadeAttempt) => attempts.push(attempt)
  const made = useSandbox({ historyDays: 0, onAttempt }, kind)
  const control = () => made().sandbox.control

  beforeEach(async () => {
    for (const { id } of await control().listDestinations())
      await control().deleteDestination({ id })
    for (const { id } of await control().listDeliveryFaults())
      await control().deleteDeliveryFault({ id })
    await control().changeAccount({ id: 'acct_sandbox', proActive: true })
    await control().moveClock({ to: 'reset' })
  })

  it('carry an event to every active destination, signed [R159]', async () => {
    const [first, second] = [await openApp(), await openApp()]
    const secret = (await connect(first)).secret ?? ''
    await connect(second)
    const event = await control().composeEvent({
      eventType: 'model_release',
      summary: 'Grüße \u2028',
    })

    await expect.poll(() => [first.inbox.entries.size, second.inbox.entries.size]).toEqual([2, 2])
    const { headers, body } = first.arrivals.at(-1) ?? fail()
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'feed-event-id': event.id,
      'idempotency-key': `feed-event-${event.id}`,
      'user-agent': `FeedWebhook/1.0 (+${made().sandbox.url}/developers)`,
    })
    const signature = String(headers['feed-signature'])
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    const verified = new Stripe('sk_none').webhooks.constructEvent(body, signature, secret)
    expect(verified).toMatchObject({ id: event.id, data: { summary: 'Grüße \u2028' } })
    expect(second.arrivals.at(-1)?.body).toBe(body)
    // The app has the delivery before the sandbox has stored its answer.
    const delivery = async () =>
      (await control().listDeliveries({ eventId: event.id, limit: 1 }))[0]
    await expect.poll(delivery).toMatchObject({
      state: 'delivered',
      attempts: 1,
      reason: null,
      lastStatus: 202,
    })
  })

  it('are listed with a title that PostgreSQL cannot read from JSON', async () => {
    const app = await openApp()
    await connect(app)
    const { id: eventId } = await control().composeEvent({
      title: 'a\0b \ud800 c',
      summary: '\0\udfff',
    })
    const listed = () => control().listDeliveries({ eventId })
    await expect
      .poll(listed)
      .toMatchObject([{ state: 'delivered', eventTitle: 'a\ufffdb \ufffd c' }])
  })

  it('are listed by kind, so that tests do not hide the others', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    const event = await control().composeEvent({})
    await control().testDestination({ id })
    const listed = await control().listDeliveries({ kind: 'live', limit: 1 })
    expect(listed).toMatchObject([{ eventId: event.id, kind: 'live' }])
  })

  it('convert the API event to the webhook event [R2]', async () => {
    const app = await openApp()
    await connect(app)
    const event = await control().composeEvent({ eventType: 'benchmark_rank_changed' })
    await expect.poll(() => app.arrivals.length).toBe(2)
    expect(JSON.parse(app.arrivals[1]?.body ?? '')).toEqual({
      schema_version: '1.0',
      id: event.id,
      type: 'benchmark_rank_changed',
      created_at: event.firstObservedAt,
      data: {
        provider: event.providerSlug,
        category: 'benchmarks',
        subject: { type: 'benchmark', key: event.subjectKey },
        title: event.title,
        summary: event.summary,
        evidence: event.evidenceState,
        confirmation: 'confirmed',
        source_url: event.sourceUrl,
        source_published_at: event.sourcePublishedAt ?? null,
        benchmark: event.benchmark,
      },
    })
  })

  it('go only where the rules select the event [R5, R216, R217]', embedded, async () => {
    const app = await openApp()
    const { id } = await connect(app, { types: ['outage', 'cli_update'], providers: ['openai'] })
    await control().composeEvent({
      id: 'evt_other',
      eventType: 'cli_update',
      providerSlug: 'mistral',
    })
    await control().composeEvent({
      id: 'evt_early',
      eventType: 'cli_update',
      providerSlug: 'openai',
      confirmationState: 'unconfirmed',
    })
    await control().composeEvent({
      id: 'evt_type',
      eventType: 'release_note',
      providerSlug: 'openai',
    })
    await control().composeEvent({
      id: 'evt_outage',
      eventType: 'outage_started',
      providerSlug: 'openai',
    })
    await lastDelivery(id)
    expect(app.arrivals.map(({ eventId }) => eventId).slice(1)).toEqual(['evt_outage'])

    // D-C1: the confirmation of what was not sent before.
    await control().changeEvent({ to: 'confirm', id: 'evt_early' })
    await lastDelivery(id)
    expect(app.arrivals.at(-1)?.eventId).toBe('evt_early')

    await control().changeDestination({ id, rules: { confirmation: 'all', types: [] } })
    await control().composeEvent({
      id: 'evt_signal',
      providerSlug: 'openai',
      confirmationState: 'unconfirmed',
    })
    await lastDelivery(id)
    expect(app.arrivals.at(-1)?.eventId).toBe('evt_signal')
    const before = app.arrivals.length
    await control().changeEvent({ to: 'confirm', id: 'evt_signal' })
    await control().changeEvent({ to: 'correct', id: 'evt_signal', content: { title: 'Other' } })
    await control().changeEvent({ to: 'retract', id: 'evt_signal' })
    await lastDelivery(id)
    expect(app.arrivals.length).toBe(before)
  })

  it('make eight attempts over 63.5 minutes with the same bytes [R90, R164, R234, R235]', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    app.answer = () => ({ status: 500 })
    const { now } = await control().moveClock({ to: 'freeze' })
    const event = await control().composeEvent({})
    const startedAt: number[] = []
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await expect.poll(() => app.arrivals.length).toBe(1 + attempt)
      const delivery = await lastDelivery(id)
      const detailed = await control().findDelivery({ id: delivery.id })
      const last = detailed?.attemptList.at(-1)
      startedAt.push((last?.startedAt.getTime() ?? 0) - now.getTime())
      if (!delivery.nextAttemptAt) break
      const byMs = delivery.nextAttemptAt.getTime() - now.getTime() - (startedAt.at(-1) ?? 0)
      await control().moveClock({ to: 'advance', byMs: byMs - 1 })
      await control().listDeliveries()
      expect(app.arrivals.length).toBe(1 + attempt)
      await control().moveClock({ to: 'advance', byMs: 1 })
    }
    expect(startedAt.map((ms) => ms / 1000)).toEqual([0, 30, 90, 210, 450, 930, 1890, 3810])
    const [delivery] = await control().listDeliveries({ eventId: event.id })
    expect(delivery).toMatchObject({ state: 'exhausted', attempts: 8, nextAttemptAt: null })
    expect(new Set(app.arrivals.slice(1).map(({ body }) => body)).size).toBe(1)
    const [destination] = await control().listDestinations()
    expect(destination?.state).toBe('active')
    const [change] = await control().listDestinationChanges({ destinationId: id })
    expect(change).toMatchObject({ change: 'exhausted', deliveryId: delivery?.id })
  })

  it('wait for Retry-After on a 429, at most an hour [R236]', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    await control().moveClock({ to: 'freeze' })
    app.answer = () => ({ status: 429, headers: { 'retry-after': '7200' } })
    await control().composeEvent({})
    const { now } = await control().readClock()
    const delivery = await lastDelivery(id)
    expect(delivery).toMatchObject({ state: 'scheduled', reason: 'rate_limited', lastStatus: 429 })
    expect((delivery.nextAttemptAt?.getTime() ?? 0) - now.getTime()).toBe(3_600_000)
  })

  it.each([400, 401, 403, 404, 405, 410, 422])(
    'end on %i, pause the destination and cancel its due deliveries [R83, R92]',
    embedded,
    async (status) => {
      const app = await openApp()
      const { id } = await connect(app)
      await control().moveClock({ to: 'freeze' })
      app.answer = () => ({ status: 503 })
      const waiting = await control().composeEvent({})
      await lastDelivery(id)
      app.answer = () => ({ status })
      const event = await control().composeEvent({})
      await expect.poll(stateOf(id)).toBe('paused')
      expect(await stateOfEvent(event.id)).toMatchObject({
        state: 'rejected',
        lastStatus: status,
        attempts: 1,
      })
      const [change] = await control().listDestinationChanges({ destinationId: id })
      expect(change).toMatchObject({ change: 'paused', detail: `answered ${status}` })

      const skipped = await control().composeEvent({})
      expect(await stateOfEvent(skipped.id)).toMatchObject({
        state: 'skipped',
        reason: 'destination_paused',
      })
      await control().moveClock({ to: 'advance', byMs: 30_000 })
      await expect
        .poll(() => stateOfEvent(waiting.id))
        .toMatchObject({ state: 'cancelled', reason: 'destination_paused', nextAttemptAt: null })

      // Back only by a test, and what was skipped in between stays skipped (T24).
      app.answer = null
      expect(await control().testDestination({ id })).toMatchObject({ isAccepted: true })
      expect(await stateOf(id)()).toBe('active')
      expect(await stateOfEvent(skipped.id)).toMatchObject({ state: 'skipped' })
    },
  )

  it('do not pause a reactivated destination by a late answer [R93]', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    await control().moveClock({ to: 'freeze' })
    let release: (status: number) => void = () => undefined
    const held = new Promise<number>((resolve) => {
      release = resolve
    })
    app.answer = async () => ({ status: await held })
    const late = await control().composeEvent({ id: 'evt_late' })
    await expect.poll(() => app.arrivals.at(-1)?.eventId).toBe('evt_late')
    app.answer = () => ({ status: 404 })
    await control().composeEvent({})
    await expect.poll(stateOf(id)).toBe('paused')
    app.answer = null
    await control().testDestination({ id })

    release(404)
    await expect
      .poll(() => stateOfEvent(late.id))
      .toMatchObject({ state: 'rejected', reason: 'late_rejection' })
    await expect
      .poll(() => attempts.find(({ eventId }) => eventId === 'evt_late'))
      .toMatchObject({ result: 'pause', cause: 'late_rejection', status: 404 })
    expect(await stateOf(id)()).toBe('active')
  })

  it('are cancelled on deletion, except an attempt in progress [R206, R207]', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    app.answer = () => ({ status: 503 })
    const waiting = await control().composeEvent({})
    await lastDelivery(id)
    let release: (status: number) => void = () => undefined
    const held = new Promise<number>((resolve) => {
      release = resolve
    })
    app.answer = async () => ({ status: await held })
    const inFlight = await control().composeEvent({ id: `evt_under_way_${kind}` })
    await expect.poll(() => app.arrivals.at(-1)?.eventId).toBe(inFlight.id)
    expect(await control().deleteDestination({ id })).toEqual({ cancelled: 1 })
    expect(await stateOfEvent(waiting.id)).toMatchObject({
      state: 'cancelled',
      reason: 'destination_deleted',
    })
    release(503)
    await expect
      .poll(() => stateOfEvent(inFlight.id))
      .toMatchObject({ state: 'cancelled', reason: 'destination_deleted', attempts: 1 })
  })

  it('stop without Pro access, and the destination keeps its state', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    app.answer = () => ({ status: 503 })
    await control().moveClock({ to: 'freeze' })
    const due = await control().composeEvent({})
    await lastDelivery(id)
    await control().changeAccount({ id: 'acct_sandbox', proActive: false })
    const skipped = await control().composeEvent({})
    expect(await stateOfEvent(skipped.id)).toMatchObject({
      state: 'skipped',
      reason: 'pro_inactive',
    })
    await control().moveClock({ to: 'advance', byMs: 30_000 })
    await expect
      .poll(() => stateOfEvent(due.id))
      .toMatchObject({ state: 'skipped', reason: 'pro_inactive' })
    expect(await stateOf(id)()).toBe('active')
  })

  it('never contain private events [R215]', async () => {
    const app = await openApp()
    const { id } = await connect(app, { confirmation: 'all' })
    await control().composeAccountEvent({ accountId: 'acct_sandbox' })
    const event = await control().composeEvent({})
    await lastDelivery(id)
    expect(app.arrivals.map(({ eventId }) => eventId).slice(1)).toEqual([event.id])
  })

  it('can be resent as a new delivery with the same bytes [R164]', async () => {
    const app = await openApp()
    const { id } = await connect(app)
    const event = await control().composeEvent({})
    const before = await lastDelivery(id)
    const again = await control().resendDelivery({ id: before.id })
    expect(again).toMatchObject({ kind: 'replay', eventId: event.id })
    await expect.poll(() => app.arrivals.length).toBe(3)
    expect(app.arrivals[2]?.body).toBe(app.arrivals[1]?.body)
    expect((await lastDelivery(id)).lastStatus).toBe(200)
  })

  it.each(['new', 'paused', 'deleted'] as const)(
    'cannot be resent to a destination that is %s',
    embedded,
    async (state) => {
      const app = await openApp()
      const { id, name } = await connect(app)
      const { id: eventId } = await control().composeEvent({})
      const { id: deliveryId } = await lastDelivery(id)
      const other = await control().createDestination({
        accountId: 'acct_sandbox',
        name,
        url: app.url,
      })
      if (state === 'paused') await control().pauseDestination({ id })
      if (state === 'deleted') await control().deleteDestination({ id })
      const skipped = await control().composeEvent({})
      const [toNew] = await control().listDeliveries({ destinationId: other.id })
      const again = { id: state === 'new' ? (toNew?.id ?? 0) : deliveryId }
      const why = { new: 'is new', paused: 'was paused by hand', deleted: 'was deleted' }[state]
      for (const action of ['resend-delivery', 'retry-delivery']) {
        expect(await made().act(action, again)).toMatchObject({
          status: 409,
          body: { code: 'destination_not_active', error: expect.stringContaining(why) },
        })
      }
      await expect(control().resendDelivery(again)).rejects.toMatchObject({
        reason: 'destination_not_active',
      })
      const newest = await control().listDeliveries({ limit: 10 })
      const ofThese = newest.filter((one) => [eventId, skipped.id].includes(one.eventId))
      expect(ofThese.filter((one) => one.kind === 'replay')).toEqual([])
      await control().deleteDestination({ id: other.id })
    },
  )

  it('name the pausing answer when a resend is rejected', embedded, async () => {
    const app = await openApp()
    const { id, name } = await connect(app)
    app.answer = () => ({ status: 403 })
    await control().composeEvent({})
    const { id: deliveryId } = await lastDelivery(id)
    const paused = (await control().listDestinations()).find((one) => one.id === id)
    expect(paused).toMatchObject({
      state: 'paused',
      pause: { by: 'answer', status: 403, deliveryId, attempt: 1 },
    })
    await expect(control().resendDelivery({ id: deliveryId })).rejects.toThrow(
      `${name} is paused because it answered 403. Fix the app, then resume`,
    )
    app.answer = () => ({ status: 204 })
    const { destination } = await control().testDestination({ id })
    expect(destination).toMatchObject({ state: 'active', pause: null })
    expect(await control().resendDelivery({ id: deliveryId })).toMatchObject({ kind: 'replay' })
  })

  it('can be retried now without moving the clock', embedded, async () => {
    const app = await openApp()
    const { id } = await connect(app)
    app.answer = () => ({ status: 500 })
    const { id: eventId } = await control().composeEvent({})
    await expect.poll(() => stateOfEvent(eventId)).toMatchObject({ lastStatus: 500 })
    const { shiftMs } = await control().readClock()
    const [waiting] = await control().listDeliveries({ destinationId: id, limit: 1 })
    app.answer = null
    await control().retryDelivery({ id: waiting?.id ?? 0 })
    expect(await lastDelivery(id)).toMatchObject({
      state: 'delivered',
      attempts: 2,
      lastStatus: 202,
    })
    expect((await control().readClock()).shiftMs).toBe(shiftMs)
    const again = control().retryDelivery({ id: waiting?.id ?? 0 })
    await expect(again).rejects.toThrow('The delivery has no scheduled attempt.')
  })

  it('are listed with their event, destination and attempts', embedded, async () => {
    const app = await openApp()
    const { id } = await connect(app)
    app.answer = () => ({ status: 500 })
    const title = 'A title of its own'
    const event = await control().composeEvent({ eventType: 'model_release', title })
    await expect.poll(() => stateOfEvent(event.id)).toMatchObject({ lastStatus: 500 })
    const [listed, test] = await control().listDeliveries({ destinationId: id })
    expect(listed).toMatchObject({
      eventTitle: title,
      eventType: 'model_release',
      destinationName: 'App',
      destinationState: 'active',
      attemptList: [{ attempt: 1, outcome: 'retry', status: 500, cause: 'server_error' }],
    })
    expect(listed?.attemptList[0]?.startedAt).toBeInstanceOf(Date)
    expect(test).toMatchObject({ eventType: 'destination_test', eventTitle: expect.any(String) })
    await control().deleteDestination({ id })
    const found = await control().findDelivery({ id: listed?.id ?? 0 })
    expect(found).toMatchObject({ eventTitle: title, destinationState: 'deleted' })
  })

  async function connect(
    app: TestApp,
    rules: Parameters<ReturnType<typeof control>['createDestination']>[0]['rules'] = {},
  ): Promise<CreatedDestination> {
    const destination = await control().createDestination({
      accountId: 'acct_sandbox',
      name: 'App',
      url: app.url,
      rules,
    })
    app.secrets = [destination.secret ?? '']
    expect(await control().testDestination({ id: destination.id })).toMatchObject({
      isAccepted: true,
    })
    return destination
  }

  /** The destination's newest delivery, once none is under way or about to be. */
  async function lastDelivery(destinationId: string): Promise<StoredDelivery> {
    const look = async () => {
      const { now } = await control().readClock()
      const deliveries = await control().listDeliveries({ destinationId })
      return deliveries.every(
        ({ state, nextAttemptAt }) =>
          state !== 'in_flight' && (nextAttemptAt === null || nextAttemptAt > now),
      )
    }
    await expect.poll(look).toBe(true)
    const [delivery] = await control().listDeliveries({ destinationId, limit: 1 })
    return delivery ?? fail()
  }

  function stateOf(id: string): () => Promise<string | undefined> {
    return async () => (await control().listDestinations()).find((one) => one.id === id)?.state
  }

  async function stateOfEvent(eventId: string): Promise<StoredDelivery | undefined> {
    return (await control().listDeliveries({ eventId }))[0]
  }
})

function fail(): never {
  throw new Error('There is none.')
}
