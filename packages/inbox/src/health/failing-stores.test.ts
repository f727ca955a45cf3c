import { createReceiver } from '@feed-receiver/core'
import { signDelivery } from '@feed-receiver/core/testing'
import { openDatabase, type Tx } from '@feed-receiver/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { isOnCitus, useDatabase } from '../../../../test/support/databases.ts'
import { until } from '../../../../test/support/until.ts'
import { useRole } from '../../../../test/support/use-role.ts'
import { InboxError } from '../errors.ts'
import { createInbox, type Inbox } from '../index.ts'

const secret = 'feed_whsec_storetest0123456789abcdef'
const signed = () => signDelivery(makeEvent(), { secret })
const entry = 'feed_inbox.entry'

/** Delivers new events through a receiver, and returns the statuses of the answers. */
async function deliver(inbox: Inbox, count: number): Promise<number[]> {
  const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
  const statuses: number[] = []
  for (let number = 0; number < count; number += 1) {
    statuses.push((await receiver.receive(signed())).status)
  }
  return statuses
}

/** Refuses to give rows a state, as for want of a right. */
function refuseState(table: string, state: string) {
  return {
    harm: `do $$ begin
        create function refuse() returns trigger language plpgsql as $body$
          begin raise 'refused' using errcode = '42501'; end $body$;
        create trigger refuse before update on ${table} for each row
          when (new.state::text = '${state}') execute function refuse();
      end $$`,
    repair: 'drop function if exists refuse cascade',
  }
}

describe.skipIf(isOnCitus('postgres'))('the health while no event can be stored', () => {
  const database = useDatabase('postgres', 'inbox')
  let number = 0
  let inbox: Inbox
  let errors: unknown[] = []
  const open = async (source = `source_${number}`) => {
    const onError = (error: unknown) => void errors.push(error)
    const opened = createInbox({ database: database(), source, onError })
    await opened.start()
    onTestFinished(() => opened.stop())
    return opened
  }

  beforeEach(async () => {
    number += 1
    errors = []
    inbox = await open()
  })

  it.each<[string, string, string, RegExp]>([
    [
      'a dropped column',
      `alter table ${entry} rename column confirmation to confirmed`,
      `alter table ${entry} rename column confirmed to confirmation`,
      /A column is missing \(.*"confirmation".*42703\)\. Restore the column/,
    ],
    [
      'a missing unique constraint',
      `alter table ${entry} drop constraint entry_source_event_id_key`,
      `alter table ${entry} add unique (source, event_id)`,
      /A unique constraint is missing \(.*42P10\)\./,
    ],
    [
      'a sequence behind its table',
      `insert into ${entry} (id, source, event_id, type, provider, category, title, confirmation,
         created_at, received_at) overriding system value
       select last_value + n, 'copied', 'copied-' || n, 't', 'p', 'c', 't', 'c', now(), now()
       from feed_inbox.entry_id_seq, generate_series(0, 50) n`,
      `delete from ${entry} where source = 'copied'`,
      /a sequence is behind its table \(23505\)\. Move the sequence .*feed_inbox\.entry/,
    ],
    [
      'a dropped table of bodies',
      'alter table feed_inbox.entry_body rename to body_away',
      'alter table feed_inbox.body_away rename to entry_body',
      /A table is missing \(.*entry_body.*42P01\)\./,
    ],
    [
      'a column that the kit does not fill',
      `alter table ${entry} add column tenant text check (tenant is not null)`,
      `alter table ${entry} drop column tenant`,
      /A constraint of a table rejects the row \(23514\)\. Undo the change/,
    ],
  ])(
    'names %s, in this and in another process, until it is repaired',
    async (_, harm, repair, message) => {
      // Before the harm, because a start would refuse it.
      const elsewhere = await open(`source_${number}`)
      await database().query(harm)
      onTestFinished(() =>
        database()
          .query(repair)
          .then(() => undefined),
      )
      expect(await deliver(inbox, 1)).toEqual([503])
      expect(await inbox.health()).toMatchObject({
        ok: true,
        problems: [],
        warnings: [{ code: 'store_failed', message: expect.stringMatching(message) }],
      })
      expect(await deliver(inbox, 2)).toEqual([503, 503])
      const failing = { code: 'store_failing', message: expect.stringMatching(message) }
      expect(await inbox.health()).toMatchObject({
        ok: false,
        database: 'up',
        problems: [
          { ...failing, message: expect.stringMatching(/get 503: 3 times since 20.*Z, without/) },
        ],
      })
      // The counts of a process are written when it stops, if not before.
      await inbox.stop()
      const ofAll = {
        code: 'store_failing',
        message: expect.stringMatching(/: 3 times in the last hour\. /),
      }
      expect(await elsewhere.health()).toMatchObject({ ok: false, problems: [failing] })
      expect(await elsewhere.health()).toMatchObject({ problems: [ofAll] })
    },
  )

  it('stays a warning if another event was stored since, and ends with it in this process', async () => {
    await database().query(`alter table ${entry} add constraint no_title check (title <> 'bad')`)
    onTestFinished(() =>
      database()
        .query(`alter table ${entry} drop constraint no_title`)
        .then(() => undefined),
    )
    const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
    const event = makeEvent()
    const bad = signDelivery({ ...event, data: { ...event.data, title: 'bad' } }, { secret })
    for (const delivery of [bad, signed(), bad, signed(), bad, signed()]) {
      await receiver.receive(delivery)
    }
    await expect.poll(() => inbox.rejections()).not.toEqual([])
    const { ok, warnings } = await inbox.health()
    expect({ ok, warnings }).toMatchObject({ ok: true, warnings: [{ code: 'store_failed' }] })
  })

  it.each([
    [
      'the server',
      new Error('could not extend file "base/1": No space left on device'),
      ' Cause: could not extend file "base/1": No space left on device. Check that the database runs',
    ],
    [
      'the kit, which says what to do',
      new InboxError('not_running', 'This inbox is not running. Call start().'),
      ' This inbox is not running. Call start().',
    ],
  ])('explains the failure of another process by an error of %s', async (_, error, says) => {
    const elsewhere = await open()
    elsewhere.answered({ notes: [], reason: 'store_failed', status: 503, durationMs: 1, error })
    await expect.poll(() => inbox.rejections()).not.toEqual([])
    const { warnings } = await inbox.health()
    expect(warnings).toMatchObject([{ code: 'store_failed' }])
    const [before, after = ''] = warnings[0]?.message.split(/(?<=Z\.)/) ?? []
    expect(before).toMatch(/^A delivery could not be stored once, the last time at [^ ]+Z\.$/)
    expect(after.slice(0, says.length)).toBe(says)
    expect(after).not.toContain('More:')
  })

  it('forgets failures of an hour ago, and names the latest failure', async () => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const notEvent = { ...deliveryOf(makeEvent()), eventId: null, detail: 'not one' }
    await database().query('alter table feed_inbox.quarantine rename to away')
    for (let time = 1; time <= 3; time += 1) {
      await inbox.quarantine(notEvent, 'not_json').catch(() => undefined)
    }
    await database().query('alter table feed_inbox.away rename to quarantine')
    // One transaction reads what the tables show, and the other one is the trial.
    const transactions = vi.spyOn(database(), 'tx')
    await inbox.health()
    expect(transactions).toHaveBeenCalledTimes(2)

    vi.setSystemTime(Date.now() + 2 * 3_600_000)
    await database().query(`alter table ${entry} add constraint no_title check (title <> 'bad')`)
    onTestFinished(() =>
      database()
        .query(`alter table ${entry} drop constraint no_title`)
        .then(() => undefined),
    )
    const event = makeEvent()
    const bad = deliveryOf({ ...event, data: { ...event.data, title: 'bad' } })
    await inbox.accept(bad).catch(() => undefined)
    transactions.mockClear()
    const { warnings } = await inbox.health()
    expect(transactions).toHaveBeenCalledTimes(1)
    expect(warnings).toEqual([
      {
        code: 'store_failed',
        message: expect.stringMatching(/^An event could not be stored once, .* rejects the row/),
      },
    ])
  })

  it('says that only the quarantine fails', async () => {
    await database().query('alter table feed_inbox.quarantine rename to away')
    const { problems } = await inbox.health({ tryStore: true })
    await database().query('alter table feed_inbox.away rename to quarantine')
    expect(problems).toEqual([
      {
        code: 'store_failing',
        message: expect.stringMatching(
          /^Deliveries that are no valid event cannot be quarantined, so they get 503\. A table is/,
        ),
      },
    ])
  })

  it('reports that claims have failed for more than a minute, until one succeeds', async () => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const refuse = refuseState('feed_inbox.job', 'active')
    onTestFinished(async () => void (await database().query(refuse.repair)))
    await database().query(refuse.harm)
    await inbox.accept(deliveryOf(makeEvent()))
    await inbox.work({ '*': () => {} })
    // The minute begins with the first claim that fails, and fewer than three may be chance.
    await until('claims fail', () => errors.length >= 3)
    expect(await inbox.health()).toMatchObject({ ok: true })
    vi.setSystemTime(Date.now() + 61_000)
    const before = errors.length
    await until('another one fails', () => errors.length > before)
    expect(await inbox.health()).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'claim_failing',
          message: expect.stringMatching(/could not claim entries \d+ times since 20.*may not/),
        },
      ],
    })
    await database().query(refuse.repair)
    await expect.poll(() => inbox.health()).toMatchObject({ ok: true })
  })

  it('reports that handled events cannot be marked as done, and not a handler that failed', async () => {
    const refuse = refuseState(entry, 'done')
    onTestFinished(async () => void (await database().query(refuse.repair)))
    await database().query(refuse.harm)
    for (let count = 0; count < 3; count += 1) await inbox.accept(deliveryOf(makeEvent()))
    const failFirst = async (_: unknown, { tx }: { tx: Tx }) => {
      await tx.query('select 1 / 0').catch(() => undefined)
    }
    await inbox.drain({ '*': failFirst })
    expect(await inbox.health()).toMatchObject({ ok: true })
    expect(await inbox.entries.retry({ filter: { state: 'failing' } })).toBe(3)
    await inbox.drain({ '*': () => {} })
    expect(await inbox.health()).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'finish_failing',
          message: expect.stringMatching(/done 3 times since 20.*may not/),
        },
      ],
    })
    await database().query(refuse.repair)
    expect(await inbox.entries.retry({ filter: { state: 'failing' } })).toBe(3)
    expect(await inbox.drain({ '*': () => {} })).toMatchObject({ handled: 3 })
    expect(await inbox.health()).toMatchObject({ ok: true })
  })

  it('reports pages that cannot be stored', async () => {
    await database().query('alter table feed_inbox.poll_stream rename column cursor to place')
    onTestFinished(() =>
      database()
        .query('alter table feed_inbox.poll_stream rename column place to cursor')
        .then(() => undefined),
    )
    for (let time = 1; time <= 3; time += 1) {
      await inbox.acceptPage([], { stream: 'events', cursor: 'next' }).catch(() => undefined)
    }
    expect(await inbox.health()).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'page_failing',
          message: expect.stringMatching(/^Pulled events .* 3 times since .*A column is missing/),
        },
      ],
    })
  })
})

describe('the health of an inbox that is otherwise well', () => {
  const database = useDatabase('postgres', 'inbox')
  let inbox: Inbox

  beforeAll(async () => {
    inbox = createInbox({ database: database(), onError: () => {} })
    await inbox.start()
  })
  afterAll(() => inbox.stop())

  it.each([
    [
      'unauthorized',
      null,
      /suspended \(unauthorized\), so nothing of one .*Z\. Replace the API key/,
    ],
    ['forbidden', new Date(Date.now() + 3_600_000), /\(forbidden\).* Restore Pro for the account/],
    ['invalid_request', null, /\(invalid_request\).* Correct the filter/],
    ['not_found', null, /\(not_found\).* Check the base URL/],
  ])('has a problem while a poller is suspended by %s', async (code, waitUntil, message) => {
    const holder = 'poller'
    await inbox.acceptPage([], { stream: 'one', cursor: 'next' })
    await inbox.streams.take('one', { holder, leaseMs: 60_000 })
    await inbox.streams.note('one', holder, { phase: 'suspended', code, waitUntil })
    const problem = { code: 'pull_suspended', message: expect.stringMatching(message) }
    expect(await inbox.health()).toMatchObject({ ok: false, problems: [problem] })
    await inbox.acceptPage([], { stream: 'one', cursor: 'next' })
    expect(await inbox.health()).toMatchObject({ ok: true })
  })

  it.each([
    ['rejection', 'rejections', 'rejections'],
    ['poll_stream', 'streams', 'streams of the poller'],
    ['quarantine', 'quarantined', 'quarantine'],
    ['pause', 'pauses', 'pauses'],
  ])(
    'stays up without the table %s, and warns that it cannot be read',
    async (table, part, name) => {
      await database().query(`alter table feed_inbox.${table} rename to away`)
      const health = await inbox.health()
      await database().query(`alter table feed_inbox.away rename to ${table}`)
      expect(health).toMatchObject({
        ok: true,
        database: 'up',
        queue: 'up',
        error: null,
        backlog: { waiting: { count: 0 } },
        dead: { count: 0 },
        [part]: null,
        warnings: [
          {
            code: 'side_unreadable',
            message: expect.stringMatching(new RegExp(`^The ${name} could not.*missing.*42P01`)),
          },
        ],
      })
    },
  )
})

describe('the health without the table of entries', () => {
  const database = useDatabase('postgres', 'inbox')

  it('reports that table and not the queue, also after a rejection that may pause the feed', async () => {
    await using inbox = createInbox({ database: database(), onError: () => {} })
    await inbox.start()
    const receiver = createReceiver({ secrets: secret, inbox, observe: () => {} })
    await receiver.receive(signDelivery(makeEvent(), { secret: `${secret}forged` }))
    await expect.poll(() => inbox.rejections()).toMatchObject([{ sender: 'pause' }])
    await database().query(`alter table ${entry} rename to away`)
    const health = await inbox.health()
    await database().query(`alter table feed_inbox.away rename to entry`)
    expect(health).toMatchObject({
      ok: false,
      problems: [{ code: 'tables_unreadable' }],
      database: 'up',
      error: '42P01',
      queue: 'up',
      backlog: null,
    })
    expect(await inbox.health()).toMatchObject({ ok: true, queue: 'up' })
  })
})

describe.skipIf(isOnCitus('postgres'))('the health of a role that may not store', () => {
  const database = useDatabase('postgres', 'inbox')
  const { name: role, url, setReadOnly } = useRole(database)
  let number = 0

  it.each<[string, string, string, RegExp]>([
    [
      'revoked rights',
      `revoke insert on ${entry} from ${role}`,
      `grant insert on ${entry} to ${role}`,
      /The role of the app may not do this \(permission denied for table entry, 42501\)\. Grant/,
    ],
    [
      'row security on the table of jobs',
      'alter table feed_inbox.job_common enable row level security',
      'alter table feed_inbox.job_common disable row level security',
      /violates row-level security policy for table "job_common", 42501\)/,
    ],
  ])(
    'names %s, and is good again at once when they are granted',
    async (_, harm, repair, message) => {
      number += 1
      const inbox = createInbox({
        database: url(),
        source: `role_${number}`,
        migrate: false,
        onError: () => {},
      })
      onTestFinished(() => inbox.stop())
      await inbox.start()
      await database().query(harm)
      expect(await deliver(inbox, 3)).toEqual([503, 503, 503])
      const { ok, problems } = await inbox.health()
      expect({ ok, problems }).toMatchObject({
        ok: false,
        problems: [{ code: 'store_failing', message: expect.stringMatching(message) }],
      })
      await database().query(repair)
      expect(await deliver(inbox, 1)).toEqual([202])
      expect(await inbox.health()).toMatchObject({ ok: true })
    },
  )

  it('names a server that turned read-only before a delivery fails', async () => {
    await using app = openDatabase(url())
    const inbox = createInbox({
      database: app,
      source: 'demoted',
      migrate: false,
      onError: () => {},
    })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    await setReadOnly('on')
    await expect
      .poll(async () => (await inbox.health()).problems)
      .toMatchObject([
        { code: 'store_failing', message: expect.stringMatching(/is read-only .*25006\)/) },
      ])
    await setReadOnly('off')
    await expect.poll(async () => (await inbox.health()).ok).toBe(true)
  })
})
