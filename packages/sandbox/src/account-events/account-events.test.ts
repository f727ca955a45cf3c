import { accountEventTypes, type AccountEvent } from '@feed-receiver/client/internal'
import { openDatabase } from '@feed-receiver/database'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  accountEventAnswerSchema,
  accountEventPageSchema,
} from '../../../client/test/answer-schemas.ts'
import { filledKinds } from '../../../../test/support/databases.ts'
import {
  countHeldCommits,
  holdCommits,
  letCommitsWait,
} from '../../../../test/support/hold-commits.ts'
import { useSandbox, type TestSandbox } from '../../test/use-sandbox.ts'

const accountId = 'acct_sandbox'
const path = '/v1/account-events'

describe.each(filledKinds)('account events on %s', (kind) => {
  const made = useSandbox({ historyDays: 10 }, kind)

  it('are listed newest first on every page, each once [R131, R132, R241]', async () => {
    const { get } = made()
    const whole = await get(`${path}?limit=100`)
    expect(accountEventPageSchema.parse(whole.body).contractVersion).toBe(
      'account-events/2026-08-20.v1',
    )
    expect([whole.body.hasMore, whole.body.nextCursor]).toEqual([false, null])
    const all = refsOf(whole.body.data)
    expect(all).toHaveLength(20)

    const paged: string[] = []
    for (let query = '?limit=7'; ;) {
      const { body } = await get(path + query)
      paged.push(...refsOf(body.data))
      if (!body.hasMore) break
      query = `?limit=7&cursor=${body.nextCursor}`
    }
    expect(paged).toEqual(all)
    const times = whole.body.data.map(({ occurredAt }: AccountEvent) => occurredAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('are filtered by several types, and by subject [R129, R130]', async () => {
    const { get } = made()
    const [first, second] = accountEventTypes
    const both = await get(`${path}?limit=100&type=${first}&type=${second}`)
    expect(new Set(both.body.data.map(({ type }: AccountEvent) => type))).toEqual(
      new Set([first, second]),
    )
    const one = await get(`${path}?limit=100&subjectType=customer_checklist`)
    for (const { subject } of one.body.data) expect(subject.type).toBe('customer_checklist')
    expect(one.body.data.length).toBeGreaterThan(0)
    const every = accountEventTypes.map((type) => `type=${type}`).join('&')
    expect((await get(`${path}?${every}&limit=100`)).body.data).toHaveLength(20)
  })

  it('have cursors bound to the account and filters, not to the key [R124, R126, R128]', async () => {
    const { get, sandbox } = made()
    const [first, second] = accountEventTypes
    const { nextCursor } = (await get(`${path}?limit=1&type=${first}&type=${second}`)).body
    expect(nextCursor.length).toBeLessThan(600)
    const withCursor = (query: string, key?: string) =>
      get(`${path}?${query}&cursor=${nextCursor}`, key === undefined ? {} : { key })
    const renewed = await sandbox.control.createKey({ accountId, name: 'renewed' })
    expect(await withCursor(`type=${second}&type=${first}&limit=9`, renewed.key)).toMatchObject({
      status: 200,
    })

    await sandbox.control.createAccount({ id: 'acct_foreign', name: 'Foreign' })
    const foreign = await sandbox.control.createKey({ accountId: 'acct_foreign', name: 'foreign' })
    const rejected = { status: 400, body: { code: 'invalid_request' } }
    expect(await withCursor(`type=${first}&type=${second}`, foreign.key)).toMatchObject(rejected)
    expect(await withCursor(`type=${first}`)).toMatchObject(rejected)
    expect(await withCursor('limit=1')).toMatchObject(rejected)
    const feed = (await get('/v1/events')).body.nextCursor
    expect(await get(`${path}?cursor=${feed}`)).toMatchObject(rejected)
  })

  it('can be read singly, only by their own account [R10, R56, R136, R137, R138, R241]', async () => {
    const { get, sandbox } = made()
    const [event] = (await get(`${path}?limit=1`)).body.data
    const single = await get(`${path}/${event.eventRef}`)
    expect(accountEventAnswerSchema.parse(single.body)).toMatchObject({
      contractVersion: 'account-event/2026-08-20.v1',
      event,
    })
    expect(single.headers.get('x-ratelimit-burst-remaining')).toMatch(/^\d+$/)

    await sandbox.control.createAccount({ id: 'acct_curious', name: 'Curious' })
    const curious = await sandbox.control.createKey({ accountId: 'acct_curious', name: 'curious' })
    const missing = [
      await get(`${path}/${event.eventRef}`, { key: curious.key }),
      await get(`${path}/event_${'0'.repeat(48)}`),
      await get(`${path}/${event.eventRef.toUpperCase()}`),
      await get(`${path}/event_0`),
      await get(`${path}/${'x'.repeat(5000)}`),
      await get(`${path}/%00`),
      await get(`${path}/a%0Ab`),
      await get(`${path}/%zz`),
      await withGate(made(), { privateActivity: false }, `${path}/${event.eventRef}`),
      await withGate(made(), { decisionIntelligence: false }, `${path}/${event.eventRef}`),
    ]
    expect(missing.map(({ status }) => status)).toEqual(missing.map(() => 404))
    expect(new Set(missing.map(({ text }) => text)).size).toBe(1)
  })

  it('answer 404 while either feature is off [R122, R123]', async () => {
    for (const gate of [{ privateActivity: false }, { decisionIntelligence: false }]) {
      for (const query of ['', '?limit=0', '?cursor=x']) {
        const answer = await withGate(made(), gate, path + query)
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
      }
    }
    expect((await made().get(path)).status).toBe(200)
  })

  it('have different references in another account [R57]', async () => {
    const { sandbox } = made()
    await sandbox.control.createAccount({ id: 'acct_two', name: 'Two' })
    const draft = { type: 'action.changed' } as const
    const one = await sandbox.control.composeAccountEvent({ ...draft, accountId })
    const two = await sandbox.control.composeAccountEvent({ ...draft, accountId: 'acct_two' })
    expect(one.eventRef).not.toBe(two.eventRef)
    expect(one.subject.ref).not.toBe(two.subject.ref)
  })

  it('have readable labels without internal ids [R60]', async () => {
    for (const type of accountEventTypes) {
      const { subject } = await made().sandbox.control.composeAccountEvent({ accountId, type })
      expect(subject.label).toMatch(/^[A-Z][a-z]+ [a-z]+ \d$|^[A-Z][a-z]+ \d$/)
      expect(subject.label).not.toContain(accountId)
      expect(subject.label).not.toContain(subject.ref)
    }
  })

  it('are corrected by another event, and retracted in place [R62, R63]', async () => {
    const { get, sandbox } = made()
    const { control } = sandbox
    const old = await control.composeAccountEvent({ accountId, title: 'Wrong' })
    const content = { title: 'Right' }
    const correction = await control.changeAccountEvent({
      to: 'correct',
      eventRef: old.eventRef,
      content,
    })
    const { data } = (await get(`${path}?limit=2`)).body
    expect(data).toMatchObject([
      { title: 'Right', integrityState: 'active', correctionOfEventRef: old.eventRef },
      { title: 'Wrong', integrityState: 'corrected', correctionOfEventRef: null },
    ])
    await control.changeAccountEvent({ to: 'retract', eventRef: correction.eventRef })
    const { body } = await get(`${path}/${correction.eventRef}`)
    expect(body.event.integrityState).toBe('retracted')
    await expect(
      control.changeAccountEvent({ to: 'retract', eventRef: correction.eventRef }),
    ).rejects.toThrow('already retracted')
  })
})

describe('concurrent changes of an account event', () => {
  const made = useSandbox({ historyDays: 0 }, 'postgres')

  it('are made one after the other, so that only the first one is', async () => {
    const { sandbox, options } = made()
    const { control } = sandbox
    const { eventRef } = await control.composeAccountEvent({ accountId })
    const observer = openDatabase(options.database)
    onTestFinished(() => observer.close())
    await letCommitsWait(observer, ['sandbox.account_event'])
    const release = await holdCommits(observer)
    const retracting = control.changeAccountEvent({ to: 'retract', eventRef })
    await expect.poll(() => countHeldCommits(observer)).toBe(1)
    const correcting = control.changeAccountEvent({ to: 'correct', eventRef }).catch(String)
    const waiting = async () => {
      const locks = `select from pg_locks where locktype = 'transactionid' and not granted`
      return (await observer.query(locks)).rows.length
    }
    await expect.poll(waiting).toBe(1)
    await release()
    expect(await retracting).toMatchObject({ eventRef, integrityState: 'retracted' })
    expect(await correcting).toContain('already retracted')
  })
})

async function withGate({ get, sandbox }: TestSandbox, gate: object, at: string) {
  await sandbox.control.changeAccount({ id: accountId, ...gate })
  const answer = await get(at)
  const open = { decisionIntelligence: true, privateActivity: true }
  await sandbox.control.changeAccount({ id: accountId, ...open })
  return answer
}

function refsOf(events: AccountEvent[]): string[] {
  return events.map(({ eventRef }) => eventRef)
}
