import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fingerprintOf, type FeedEvent } from '@feed-receiver/core'
import { openDatabase } from '@feed-receiver/database'
import { createInbox, Permanent, type Handlers, type InboxOptions } from '@feed-receiver/inbox'
import { untilIdle } from '@feed-receiver/inbox/testing'
import { createSender, fixture } from '@feed-receiver/sender'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import {
  createTarget,
  databaseKinds,
  filledKinds,
  type DatabaseKind,
} from '../../../test/support/databases.ts'
import { runSql } from '../../../test/support/postgres.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { runCli, type Run, type RunOptions } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, useApp, type App } from '../test/start-app.ts'
import { main } from './program.ts'

const secret = 'feed_whsec_inboxtest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }
const outage = fixture('outage_started')
const other = fixture('outage_updated')

async function deliver(app: App, ...events: (FeedEvent | Uint8Array)[]): Promise<void> {
  await using sender = createSender({ secret })
  for (const event of events) {
    const { status } = await sender.attempt(event, { to: app.url, id: idOf(event) })
    expect(status).toBe(202)
  }
}

function idOf(event: FeedEvent | Uint8Array): string {
  return event instanceof Uint8Array ? 'evt_bytes' : event.id
}

const failing: Handlers = {
  outage_started: () => {
    throw new Permanent('no such customer in postgres://ada:password-1@db/app')
  },
}

/** An app with a dead entry, a skipped entry and a quarantined delivery, and the command for it. */
async function startFilled(): Promise<{ app: App; cli: typeof runMain }> {
  const app = await startApp({ kind: 'postgres', secret, handlers: failing })
  await fill(app)
  return { app, cli: cliOf(app) }
}

/** The same for the surrounding describe block, whose tests leave it as it is. */
function useFilled(kind: DatabaseKind): () => { app: App; cli: typeof runMain } {
  const app = useApp({ kind, secret, handlers: failing })
  beforeAll(async () => {
    await fill(app())
    // An embedded database is open once in a process.
    if (kind === 'pglite') await app().stop()
  })
  return () => ({ app: app(), cli: cliOf(app()) })
}

async function fill(app: App): Promise<void> {
  await deliver(app, outage, other, Buffer.from('no JSON'))
  await untilIdle(app.inbox)
}

function cliOf({ databaseArguments }: App) {
  return (args: string[], options: RunOptions = {}): Promise<Run> =>
    runMain([...args, ...databaseArguments], { env, ...options })
}

describe.each(filledKinds)('inbox on %s', (kind) => {
  const filled = useFilled(kind)

  it('lists, counts and shows entries', async () => {
    const { cli } = filled()
    const [list, filtered, count, shown, body] = [
      await cli(['inbox', 'list', '--json']),
      await cli(['inbox', 'list', '--state', 'dead', '--since', '1h']),
      await cli(['inbox', 'count', '--state=dead']),
      await cli(['inbox', 'show', outage.id]),
      await cli(['inbox', 'show', outage.id, '--body']),
    ]
    expect(JSON.parse(list.stdout).entries).toMatchObject([
      { eventId: other.id, state: 'skipped' },
      { eventId: outage.id, state: 'dead' },
    ])
    expect(filtered.stdout.split('\n')).toEqual([
      expect.stringMatching(/^received +state +event +type +attempts +last error$/),
      expect.stringMatching(
        new RegExp(
          `dead +${outage.id} +outage_started +1 +no such customer in postgres://[*]{3}@db`,
        ),
      ),
      '',
    ])
    expect(await cli(['inbox', 'list', '--state', 'failing'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No rows.\n',
    })
    const unknown = 'No entry has the type "outage_start". Did you mean outage_started?\n'
    expect(await cli(['inbox', 'list', '--type', 'outage_start'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${unknown}No rows.\n`,
    })
    expect(await cli(['inbox', 'count', '--type', 'outage_start'])).toEqual({
      code: 0,
      stdout: '0 entries\n',
      stderr: unknown,
    })
    expect(await cli(['inbox', 'list', '--type', 'none', '--json'])).toEqual({
      code: 0,
      stdout: '{"entries":[],"next":null,"searchedBackTo":null}\n',
      stderr: '',
    })
    expect(count).toEqual({ code: 0, stdout: '1 entry\n', stderr: '' })
    expect(shown.stdout).toMatch(/^died +2\d/m)
    expect(shown.stdout).not.toMatch(/^handled/m)
    expect(shown.stdout).toMatch(/last error +no such customer in postgres:\/\/\*\*\*@db/)
    expect(shown.stdout).toMatch(/Stack of the last error:\n.*no such customer.*\n +at /)
    expect(shown.stdout).not.toContain('password-1')
    expect(shown.stdout).toMatch(/job +failed, attempt 1, the last one\n/)
    const inJson = await cli(['inbox', 'show', outage.id, '--json'])
    expect(inJson.stdout).not.toContain('password-1')
    expect(body.stdout).toBe(JSON.stringify(outage))
  })

  it('writes a test for a dead entry', async () => {
    const { cli } = filled()
    const folder = await makeFolder()
    const file = join(folder, 'tests/incident.test.ts')
    const handlers = join(folder, 'src/handlers.ts')
    const toFile = ['--output', file, '--handlers', handlers]
    const missing = await cli(['inbox', 'reproduce', outage.id, ...toFile])
    await mkdir(join(folder, 'src'))
    await writeFile(handlers, '')
    const typo = await cli(['inbox', 'reproduce', outage.id, '--setup', 'setpu.ts'])
    const printed = await cli(['inbox', 'reproduce', outage.id, '--setup', '#test/setup'])
    const inJson = await cli(['inbox', 'reproduce', outage.id, '--json'])
    const unknown = await cli(['inbox', 'reproduce', 'evt_none', ...toFile])
    const written = await cli(['inbox', 'reproduce', outage.id, ...toFile])
    const again = await cli(['inbox', 'reproduce', outage.id, ...toFile])

    expect(missing).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--handlers ${handlers}: there is no such file.`),
    })
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('--setup setpu.ts') })
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    expect(printed.stdout).toContain(`diedOf: 'no such customer in postgres://***@db/app',`)
    expect(printed.stdout).toContain(`import * as setup from '#test/setup'`)
    expect(printed.stdout).not.toContain(secret)
    expect(printed.stdout).not.toContain(fingerprintOf(secret))
    expect(printed.stdout).not.toMatch(/feed-signature|content-type|user-agent/i)
    expect(JSON.parse(inJson.stdout)).toMatchObject({
      eventId: outage.id,
      test: expect.stringContaining(`from './handlers.ts'`),
    })
    expect(unknown).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No entry has the event id evt_none.'),
    })
    expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining(file) })
    expect(await readFile(file, 'utf8')).toContain(`import { handlers } from '../src/handlers.ts'`)
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('add --force') })
    await writeFile(file, 'mine')
    expect(await cli(['inbox', 'reproduce', outage.id, ...toFile])).toMatchObject({ code: 2 })
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(await cli(['inbox', 'reproduce', outage.id, ...toFile, '--force'])).toMatchObject({
      code: 0,
    })
    expect(await readFile(file, 'utf8')).toContain(
      `diedOf: 'no such customer in postgres://***@db/app',`,
    )
  })
})

describe('inbox', () => {
  it('lists events that push missed, and reports that push is probably paused', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const gaps = (...args: string[]) =>
      runMain(['inbox', 'gaps', ...app.databaseArguments, ...args])
    expect(await gaps()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/probably paused +no/),
    })
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const missed = fixture('model_release', { created_at: hoursAgo(3).toISOString() })
    await app.inbox.acceptPage([], { stream: 'events', at: hoursAgo(4) })
    await app.inbox.acceptPage([missed], {
      stream: 'events',
      at: hoursAgo(2),
      expects: () => true,
    })
    const [text, json] = [await gaps(), await gaps('--json')]
    expect(text.code).toBe(1)
    expect(text.stdout).toMatch(/probably paused +yes: no push since the start/)
    expect(text.stdout).toContain(missed.id)
    expect(JSON.parse(json.stdout)).toMatchObject({
      missed: { count: 1, isExact: true },
      gaps: [{ eventId: missed.id, expected: true }],
    })
  })

  it('shows since when events may be missing after a lost cursor', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const [since, until] = [new Date(Date.now() - 120_000), new Date(Date.now() - 60_000)]
    await app.inbox.acceptPage([], { stream: 'events', at: since })
    await app.inbox.acceptPage([], { stream: 'events', at: until, gapCode: 'invalid_request' })
    const { stdout } = await runMain(['inbox', 'gaps', ...app.databaseArguments])
    expect(stdout).toMatch(/^lost cursors +1$/m)
    const period = `${since.toISOString()}  ${until.toISOString()}  invalid_request`
    expect(stdout).toContain(period)
  })

  it('says that an event from pull has no signed body', async () => {
    const { app, cli } = await startFilled()
    const pulled = fixture('model_release')
    await app.inbox.acceptPage([pulled], { stream: 'events' })
    const said = expect.stringContaining('This event came by pull, so it has no signed body.')
    expect(await cli(['inbox', 'show', pulled.id, '--body'])).toMatchObject({
      code: 1,
      stderr: said,
    })
    const shown = await cli(['inbox', 'show', pulled.id, '--json'])
    expect(shown.code).toBe(0)
    const explained = await runMain(['explain', '-'], { env, input: shown.stdout })
    expect(explained).toMatchObject({ code: 1, stderr: said })
  })

  it('requeues the entries that a dry run counts, after confirmation', async () => {
    const { app, cli } = await startFilled()
    expect(await cli(['inbox', 'retry', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: '1 entry would be requeued.\n',
    })
    const unasked = await runMain(['inbox', 'retry', ...app.databaseArguments], { env })
    expect(unasked).toMatchObject({ code: 2, stdout: '' })
    expect(unasked.stderr).toMatch(
      /Requeue 1 entry\? There is no terminal to confirm this, so add --yes/,
    )
    const retried = await cli(['inbox', 'retry', outage.id, '--yes', '--json'])
    expect(JSON.parse(retried.stdout)).toEqual({ retried: 1 })
    const unknown = await cli(['inbox', 'retry', 'evt_none', '--yes'])
    expect(unknown).toMatchObject({ code: 1, stdout: '0 entries requeued.\n' })
  })

  it('retries a failing entry now, and calls it failing everywhere', async () => {
    const handlers: Handlers = {
      model_release: () => {
        throw new Error('no pager')
      },
    }
    const app = await startApp({ kind: 'postgres', secret, handlers })
    const cli = cliOf(app)
    const event = fixture('model_release')
    await deliver(app, event)
    await expect.poll(async () => (await app.inbox.entries.get(event.id))?.isFailing).toBe(true)
    expect((await cli(['inbox', 'list', '--state', 'failing'])).stdout).toContain(event.id)
    const reprocessed = await cli(['inbox', 'reprocess', event.id, '--yes'])
    expect(reprocessed.stderr).toContain(`"${event.id}" is failing.`)
    const ofDead = await cli(['inbox', 'retry', '--yes'])
    expect(ofDead).toMatchObject({ code: 0, stdout: '0 entries requeued.\n' })
    expect(ofDead.stderr).toMatch(/^Failing entries left out: 1\. Add --state failing/)
    const counted = await cli(['inbox', 'retry', '--state', 'failing', '--dry-run'])
    expect(counted).toMatchObject({ code: 0, stdout: '1 entry would be requeued.\n' })
    const retried = await cli(['inbox', 'retry', event.id, '--yes'])
    expect(retried).toMatchObject({ code: 0, stdout: '1 entry requeued.\n' })
  })

  it('exits with 1 if it requeues fewer entries than given, and records the name', async () => {
    const { app, cli } = await startFilled()
    const args = ['inbox', 'retry', outage.id, 'evt_none', '--yes', '--by', 'ops']
    expect(await cli(args)).toMatchObject({
      code: 1,
      stdout: '1 entry requeued.\n',
      stderr: expect.stringContaining('Only dead, skipped and failing entries'),
    })
    const { operations } = await app.inbox.operations()
    expect(operations).toMatchObject([{ kind: 'retry', by: 'ops', entryCount: 1 }])
  })

  it('lists errors, and requeues the entries of one', async () => {
    const { cli } = await startFilled()
    const { errors } = JSON.parse((await cli(['inbox', 'errors', '--json'])).stdout)
    expect(errors).toMatchObject([{ dead: { count: 1 }, types: ['outage_started'] }])
    const table = await cli(['inbox', 'errors'])
    expect(table.stdout).toContain(errors[0].error)
    expect(table.stdout).toContain('no such customer in postgres://***@db/app')
    const ofOther = await cli(['inbox', 'retry', '--error', 'unknown', '--dry-run'])
    expect(ofOther.stdout).toBe('0 entries would be requeued.\n')
    const retried = await cli(['inbox', 'retry', '--error', errors[0].error, '--yes'])
    expect(retried).toMatchObject({ code: 0, stdout: '1 entry requeued.\n' })
  })

  it('discards all quarantined deliveries of a reason', async () => {
    const { cli } = await startFilled()
    const discard = ['inbox', 'discard']
    expect(await cli(discard)).toMatchObject({ code: 2 })
    expect(await cli([...discard, '4711', '--all'])).toMatchObject({ code: 2 })
    for (const limit of [['--dry-run'], ['--reason', 'not_json']]) {
      expect(await cli([...discard, '1', ...limit])).toMatchObject({ code: 2 })
    }
    const conflicts = await cli([...discard, '--all', '--reason', 'id_conflict', '--yes'])
    expect(conflicts).toMatchObject({
      code: 0,
      stdout: '0 rows discarded. The bytes stay stored.\n',
    })
    const counted = await cli([...discard, '--all', '--reason', 'not_json', '--dry-run', '--json'])
    expect(JSON.parse(counted.stdout)).toEqual({ wouldDiscard: 1 })
    expect(await cli([...discard, '--all'])).toMatchObject({ code: 2 })
    const discarded = await cli([...discard, '--all', '--yes', '--by', 'ops', '--json'])
    expect(JSON.parse(discarded.stdout)).toEqual({ discarded: 1 })
  })

  it('releases all quarantined deliveries that it can read now', async () => {
    const { cli, app } = await startFilled()
    const later = deliveryOf(makeEvent())
    await app.inbox.quarantine(
      { ...later, eventId: later.event.id, detail: 'a newer version' },
      'unknown_schema_version',
    )
    const release = ['inbox', 'release']
    for (const wrong of [[], ['1', '--all'], ['1', '--reason', 'not_json'], ['--all']]) {
      expect(await cli([...release, ...wrong])).toMatchObject({ code: 2 })
    }
    const released = await cli([...release, '--all', '--yes'])
    expect(released).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^1 row released\. 1 row cannot be released\. See why: /),
    })
    const again = await cli([...release, '--all', '--reason', 'unknown_schema_version', '--yes'])
    expect(again).toMatchObject({ code: 0, stdout: '0 rows released.\n' })
    expect(await app.inbox.entries.get(later.event.id)).not.toBeNull()
  })

  it('continues a release if somebody else resolves a row, and prints the counts before an error', async () => {
    const { cli, app } = await startFilled()
    const deliveries = [0, 1, 2].map(() => deliveryOf(makeEvent()))
    for (const one of deliveries) {
      const unread = { ...one, eventId: one.event.id, detail: 'a newer version' }
      await app.inbox.quarantine(unread, 'unknown_schema_version')
    }
    const [broken = '', theirs = '', ours = ''] = deliveries.map(({ event }) => event.id)
    // The newest row is released first. Somebody discards the next one meanwhile.
    await runSql(
      app.databaseArguments[1] ?? '',
      `create function public.meddle() returns trigger language plpgsql as $$ begin
         if new.event_id = '${broken}' then raise 'The trigger fails.'; end if;
         update feed_inbox.quarantine set state = 'discarded' where event_id = '${theirs}';
         return new;
       end $$;
       create trigger meddle before update on feed_inbox.quarantine
       for each row when (new.event_id in ('${ours}', '${broken}')) execute function public.meddle()`,
    )
    const args = ['inbox', 'release', '--all', '--yes', '--reason', 'unknown_schema_version']
    expect(await cli(args)).toMatchObject({
      code: 1,
      stdout: '1 row released. 1 row resolved by somebody else meanwhile.\n',
      stderr: expect.stringContaining('The trigger fails.'),
    })
  })

  it('shows, releases and discards quarantined deliveries', async () => {
    const { cli } = await startFilled()
    const list = await cli(['inbox', 'quarantine', 'list', '--json'])
    const [row] = JSON.parse(list.stdout).quarantined
    expect(row).toMatchObject({ reason: 'not_json', state: 'open' })
    const id = String(row.id)
    const shown = await cli(['inbox', 'quarantine', 'show', id])
    expect(shown.stdout).toContain('no JSON')
    const released = await cli(['inbox', 'release', id])
    expect(released).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('still not a valid event'),
    })
    const discarded = await cli(['inbox', 'discard', id, '--by', 'ops'])
    expect(discarded).toMatchObject({ code: 0 })
    const table = await cli(['inbox', 'quarantine', 'list', '--state', 'discarded'])
    expect(table.stdout).toContain('discarded  not_json')
  })

  it('lists secrets, prunes content, and shows the health', async () => {
    const { cli } = await startFilled()
    const secrets = await cli(['inbox', 'secrets', '--json'])
    expect(JSON.parse(secrets.stdout).secrets).toMatchObject([
      { fingerprint: fingerprintOf(secret), isInEnvironment: true, canBeRemoved: false },
    ])
    expect(await cli(['inbox', 'prune'])).toMatchObject({ code: 2 })
    const counted = await cli(['inbox', 'prune', '--days', '0', '--dry-run', '--json'])
    expect(JSON.parse(counted.stdout)).toEqual({ wouldEmpty: 1, wouldDelete: 0 })
    const pruned = await cli(['inbox', 'prune', '--days', '0', '--yes'])
    expect(pruned).toMatchObject({ code: 0, stdout: 'Content of 1 entry deleted.\n' })
    const rows = (days: string) => cli(['inbox', 'prune', '--rows-days', days, '--yes'])
    expect(await rows('400')).toMatchObject({
      code: 0,
      stdout: '0 entries deleted. Content of 0 entries deleted.\n',
    })
    expect(await rows('3')).toMatchObject({ code: 2, stderr: expect.stringContaining('7 or more') })
    const health = await cli(['inbox', 'health', '--json'])
    expect(health.code).toBe(0)
    expect(JSON.parse(health.stdout)).toMatchObject({ ok: true, dead: { count: 1 } })
  })
})

describe('inbox pause', () => {
  it('pauses and resumes the inbox or some types, and shows what is paused', async () => {
    const { app, cli } = await startFilled()
    const inbox = (...args: string[]) => cli(['inbox', ...args])
    expect(await inbox('pause', '--by', 'ada')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    })
    const why = ['--reason', 'the pager is down', '--by', 'ada']
    expect(await inbox('pause', '--type', 'outage_start', ...why)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Did you mean 'outage_started'\? .* or add --force to pause it/,
      ),
    })
    const types = ['--type', 'outage_started', '--type', 'outage_updated']
    expect(await inbox('pause', ...types, ...why)).toMatchObject({
      code: 0,
      stdout: 'Paused: outage_started.\nPaused: outage_updated.\n',
    })
    expect(await inbox('pause', ...why)).toMatchObject({ stdout: 'Paused: the whole inbox.\n' })
    const again = await inbox('pause', ...why)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already paused') })
    const { stdout, code } = await inbox('health')
    expect(code).toBe(0)
    expect(stdout).toMatch(/paused: the whole inbox, since .* by ada: the pager is down/)
    expect(await inbox('resume', '--by', 'grace')).toMatchObject({
      code: 0,
      stdout: 'Resumed: the whole inbox.\n',
      stderr: expect.stringContaining('Still paused: outage_started, since'),
    })
    const resumed = await inbox('resume', '--type', 'outage_started', '--json')
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      resumed: [{ type: 'outage_started', by: 'ada' }],
      stillPaused: [{ type: 'outage_updated' }],
    })
    expect(await app.inbox.pauses()).toMatchObject([{ type: 'outage_updated' }])
    expect(await inbox('resume')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Paused now: outage_updated.'),
    })
  })
})

describe('inbox rejections', () => {
  it('lists rejected deliveries, and reports that the feed is probably paused', async () => {
    const app = await startApp({ kind: 'postgres', secret, observe: () => undefined })
    const rejections = (...args: string[]) =>
      runMain(['inbox', 'rejections', ...app.databaseArguments, ...args])
    expect(await rejections()).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^No rejected delivery is stored in the last 24 h\./),
    })
    await fetch(app.url, { method: 'POST', body: '{}' })
    await expect.poll(() => app.inbox.rejections()).toHaveLength(1)
    // Anybody can send that.
    expect(await rejections()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^reason [^\n]+\nsignature_missing  401 +pauses +1 [^\n]+\nsignature_missing: If the/,
      ),
    })
    app.inbox.answered({
      notes: [],
      reason: 'blocked' as 'store_failed',
      status: 403,
      durationMs: 1,
    })
    await expect.poll(() => app.inbox.rejections(), { timeout: 10_000 }).toHaveLength(2)
    expect(await rejections()).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^The feed is probably paused: [^\n]+403 \(other\)/),
    })
    const json = await rejections('--json', '--hours', '1')
    expect(JSON.parse(json.stdout)).toMatchObject({
      rejections: [
        { reason: 'other', count: 1, sender: 'pause' },
        { reason: 'signature_missing', count: 1, sender: 'pause' },
      ],
      isProbablyPaused: true,
    })
    expect(await runMain(['inbox', 'health', ...app.databaseArguments])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The feed is probably paused: [^]+\nrejected in 1 h +2\n/),
    })
    await deliver(app, outage)
    expect(await rejections()).toMatchObject({ code: 0 })
    expect(await rejections('--hours', '0')).toMatchObject({ code: 2 })
  })
})

describe('inbox, after `ordered` has changed', () => {
  it.each<{ changes: InboxOptions['ordered'][] }>([
    { changes: ['subject', undefined] },
    { changes: [undefined, 'subject', undefined] },
    { changes: ['subject', undefined, 'subject'] },
  ])('uses the queue of the latest worker: $changes', async ({ changes }) => {
    const { target, drop } = await createTarget('postgres', 'inbox')
    onTestFinished(drop)
    const [pending, dead] = [makeEvent(), makeEvent({ type: 'outage_started' })]
    const receivedAt = new Date(Date.now() - 120_000)
    const handlers: Handlers = { ...failing, '*': () => Promise.reject(new Error('not yet')) }
    for (const [position, ordered] of changes.entries()) {
      await using inbox = createInbox({ database: target, ordered })
      await inbox.start()
      if (position === changes.length - 1) {
        for (const event of [dead, pending])
          await inbox.accept({ ...deliveryOf(event), receivedAt })
      }
      await inbox.drain(handlers, { onFailed: () => {}, onDead: () => {} })
    }
    if (typeof target !== 'string') throw new Error('It is a URL.')
    const cli = (...args: string[]) => runMain(['inbox', ...args, '--database', target])
    expect(await cli('health')).toMatchObject({ code: 0 })
    expect(await cli('retry', dead.id, '--yes')).toMatchObject({ code: 0 })
    await using database = openDatabase(target)
    const { rows } = await database.query(
      `select name from feed_inbox.job
       where state = 'created' and name in ('feed', 'feed_ordered')`,
    )
    expect(rows).toEqual([{ name: changes.at(-1) ? 'feed_ordered' : 'feed' }])
  })
})

describe('inbox health', () => {
  it('prints problems with their fixes, and exits with 1', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    await deliver(app, outage)
    const backdate = `update feed_inbox.job set start_after = now() - interval '1 hour'`
    await runSql(app.databaseArguments[1] ?? '', backdate)
    expect(await runMain(['inbox', 'health', ...app.databaseArguments])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^ok +no\n[^]+ no worker claims them\. Check that a process calls/,
      ),
    })
  })
})

describe('inbox, beside a running app', () => {
  it.each(databaseKinds)(
    'makes the worker of the app handle requeued entries, and requeues more after it stopped, on %s',
    async (kind) => {
      const handled: string[] = []
      let isFixed = false
      const app = await startApp({
        kind,
        secret,
        handlers: {
          outage_started: ({ id }) => {
            if (!isFixed) throw new Permanent('not yet')
            handled.push(id)
          },
        },
      })
      await deliver(app, outage)
      await expect.poll(() => app.inbox.entries.get(outage.id)).toMatchObject({ state: 'dead' })
      isFixed = true
      // Only another process can share an embedded database.
      const runBeside = kind === 'pglite' ? runCli : runMain
      const run = await runBeside(['inbox', 'retry', '--yes', ...app.databaseArguments])
      expect(run).toMatchObject({ code: 0, stdout: '1 entry requeued.\n' })
      await expect.poll(() => app.inbox.entries.get(outage.id)).toMatchObject({ state: 'done' })
      expect(handled).toEqual([outage.id])

      await app.stop()
      const reprocess = ['inbox', 'reprocess', '--since', '1h', '--yes']
      expect(await runMain([...reprocess, ...app.databaseArguments])).toMatchObject({
        code: 0,
        stdout: '1 entry requeued.\n',
      })
    },
  )
})

describe('inbox, without an inbox', () => {
  const app = useApp({ kind: 'postgres', secret })

  it('does not create an embedded database', async () => {
    const cwd = await makeFolder()
    const run = await runMain(['inbox', 'list'], { cwd })
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Run this where the app'),
    })
    expect(await readdir(cwd)).toEqual([])
  })

  it('does not create tables', async () => {
    const elsewhere = await runMain([
      'inbox',
      'list',
      '--schema',
      'other',
      ...app().databaseArguments,
    ])
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no inbox in the schema other. Start the app once'),
    })
  })

  it('asks for a start of the app if a migration is missing', async () => {
    const old = await startApp({ kind: 'postgres', secret })
    await using database = openDatabase(old.database)
    await database.query('delete from feed_inbox.migration')
    expect(await runMain(['inbox', 'list', ...old.databaseArguments])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('older than this command. Start the app once'),
    })
  })

  it('does not create a queue for a misspelled source', async () => {
    const run = await runMain(['inbox', 'list', '--source', 'fed', ...app().databaseArguments])
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('Did you mean feed?') })
    await using database = openDatabase(app().database)
    const queues = await database.query('select name from feed_inbox.queue order by name')
    expect(queues.rows).toEqual([{ name: 'feed' }, { name: 'feed_dead' }])
  })

  it.each([
    ['an invalid schema name', ['--schema', 'a; drop table b'], 2, /schema: use 1 to 40 of/],
    ['an invalid source name', ['--source', 'A'], 2, /source: use 1 to 40 of/],
  ])('rejects %s', async (_, options, code, message) => {
    const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/x' }
    const run = await runMain(['inbox', 'list', ...options], { env: nowhere })
    expect(run).toMatchObject({ code, stderr: expect.stringMatching(message) })
  })

  it.each(['none/here', 'file:none/here'])('names the folder in DATABASE_URL=%s', async (url) => {
    const run = await runMain(['inbox', 'list'], { env: { DATABASE_URL: url } })
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('database in none/here.'),
    })
  })

  it.each([
    ['an unreachable server', 'postgres://nobody:hunter2hunter2@127.0.0.1:9/x', 1],
    [
      'several unreachable servers',
      'postgres://nobody:hunter2hunter2@127.0.0.1:9,127.0.0.1:8/x?target_session_attrs=read-write',
      1,
    ],
    ['a read-only server', 'postgres://a:hunter2hunter2@b,c/x?target_session_attrs=standby', 2],
    ['a URL with another scheme', 'mysql://nobody:hunter2hunter2@127.0.0.1/x', 2],
  ])('reports %s in one line without the password', async (_, url, code) => {
    const run = await runMain(['inbox', 'list'], { env: { DATABASE_URL: url } })
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
    expect(run.stderr).not.toContain('hunter2')
  })
})

describe('inbox retry, at a terminal', () => {
  it('asks for confirmation, and requeues only after a yes', async () => {
    const { app } = await startFilled()
    // Without a worker, only the command changes the entry.
    await app.stop()
    for (const [answer, code, state] of [
      ['\n', 1, 'dead'],
      ['\u0004', 1, 'dead'],
      ['y\n', 0, 'received'],
    ] as const) {
      const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()]
      const running = main(['inbox', 'retry', ...app.databaseArguments], {
        env,
        stdin,
        stdout,
        stderr,
        signal: new AbortController().signal,
      })
      await expect.poll(() => stderr.printed).toContain('Requeue 1 entry? [y/N]')
      // Ctrl-D closes the input.
      if (answer === '\u0004') stdin.end()
      else stdin.write(answer)
      expect([answer, await running]).toEqual([answer, code])
      const shown = await runMain(['inbox', 'show', outage.id, '--json', ...app.databaseArguments])
      expect(JSON.parse(shown.stdout)).toMatchObject({ state })
    }
  })
})

describe('inbox retry and inbox prune, interrupted', () => {
  const filled = useFilled('postgres')

  it.each([
    [['retry'], 'dead'],
    [['prune', '--days', '0'], 'skipped'],
  ] as const)('%j starts no further batch', async (verb, state) => {
    const { app } = filled()
    const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()]
    const streams = { stdin, stdout, stderr, signal: AbortSignal.abort() }
    const args = ['inbox', ...verb, '--yes', ...app.databaseArguments]
    expect(await main(args, { env, ...streams })).toBe(130)
    const { entries } = await app.inbox.entries.list({ state })
    expect(entries).toMatchObject([{ state }])
    const entry = await app.inbox.entries.get(entries[0]?.eventId ?? '')
    expect(entry?.bodyBase64).not.toBeNull()
  })
})

/** A stream that claims to be a terminal. */
function terminal() {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, printed: '' })
  stream.on('data', (chunk: Buffer) => (stream.printed += chunk.toString()))
  return stream
}
