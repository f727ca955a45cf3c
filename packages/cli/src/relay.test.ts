import { randomBytes } from 'node:crypto'
import { createConsole } from '@feed-receiver/console'
import { toNodeHandler } from '@feed-receiver/core/node'
import { openDatabase } from '@feed-receiver/database'
import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/contract/listen.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, type App } from '../test/start-app.ts'

const deployedSecret = 'feed_whsec_deployedtest0123456789abcd'
const secret = 'feed_whsec_relaylocaltest0123456789ab'
const env = { FEED_SIGNING_SECRET: secret }
const outage = fixture('outage_started')
const update = fixture('outage_updated')
/** Formatted as no serializer would, to recognize the stored bytes. */
const bytes = Buffer.from(`${JSON.stringify(outage, null, 3)}\r\n`)

/** A deployed app with an outage and its update, and an app on a laptop. */
async function startBoth() {
  const deployed = await startApp({ kind: 'postgres', secret: deployedSecret })
  await using sender = createSender({ secret: deployedSecret })
  for (const event of [bytes, update]) {
    expect(await sender.attempt(event, { to: deployed.url })).toMatchObject({ status: 202 })
  }
  const local = await startApp({ kind: 'postgres', secret })
  return { deployed, local, from: deployed.databaseArguments[1] ?? '' }
}

/** Follows until a newly delivered event is relayed, and then interrupts. */
async function relayLive(
  args: string[],
  given: Record<string, string>,
  { deployed, local }: { deployed: App; local: App },
) {
  let interrupt = () => {}
  const interruptedWhen = new Promise<void>((resolve) => (interrupt = resolve))
  const running = runMain(['relay', '--follow', ...args], { env: given, interruptedWhen })
  await using sender = createSender({ secret: deployedSecret })
  let sent = 0
  // Repeated, because the command may not have started yet.
  await expect
    .poll(
      async () => {
        const live = fixture('model_release', { id: `evt_live_${(sent += 1)}` })
        await sender.attempt(live, { to: deployed.url })
        return await local.inbox.entries.count({ type: 'model_release' })
      },
      { timeout: 30_000, interval: 500 },
    )
    .not.toMatchObject({ count: 0 })
  await sender.attempt(fixture('model_release', { id: 'evt_last' }), { to: deployed.url })
  await expect.poll(() => local.inbox.entries.get('evt_last'), { timeout: 30_000 }).not.toBeNull()
  interrupt()
  return await running
}

/** Every row of the inbox and its queue, as text. */
async function allRows(app: App): Promise<string[]> {
  await using database = openDatabase(app.database)
  const { rows: tables } = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname = 'feed_inbox' order by 1`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    // Its heartbeat changes while the deployed app runs.
    if (/\.(?:version|queue)$/.test(name)) continue
    const { rows } = await database.query<{ text: string }>(`select t::text from ${name} t`)
    found.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`))
  }
  return found.toSorted()
}

/** The URL of a role that may only read entries and their bodies. */
async function readerUrl(from: string): Promise<string> {
  const name = `relay_${randomBytes(6).toString('hex')}`
  const database = openDatabase(from)
  await database.query(`create role ${name} login password 'relay-password-1'`)
  await database.query(`grant usage on schema feed_inbox to ${name}`)
  await database.query(`grant select on feed_inbox.entry, feed_inbox.entry_body to ${name}`)
  onTestFinished(async () => {
    await database.query(`drop owned by ${name}`)
    await database.query(`drop role ${name}`)
    await database.close()
  })
  const url = new URL(from)
  url.username = name
  url.password = 'relay-password-1'
  return url.href
}

describe('relay', { timeout: 60_000 }, () => {
  it('sends the stored bytes with a read-only role, and changes no row', async () => {
    const { deployed, local, from } = await startBoth()
    const reader = await readerUrl(from)
    const before = await allRows(deployed)
    const run = await runMain(['relay', '--from', reader, '--to', local.url], { env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(
      new RegExp(
        `^${outage.id}  outage_started  202 .*\n${update.id}  .*\n2 of 2 events delivered\n$`,
      ),
    )
    const copy = await local.inbox.entries.get(outage.id)
    expect(copy?.bodyBase64).toBe(bytes.toString('base64'))
    expect(await allRows(deployed)).toEqual(before)
    expect(before.length).toBeGreaterThan(3)
  })

  it('accepts ids, filters and --limit, and lists with --dry-run', async () => {
    const { local, from } = await startBoth()
    const relay = (...args: string[]) =>
      runMain(['relay', ...args, '--from', from, '--to', local.url], { env })
    const newest = await relay('--limit', '1', '--dry-run')
    expect(newest.stdout).toBe(`${update.id}  outage_updated\n1 event would be sent.\n`)
    expect(await local.inbox.entries.count()).toMatchObject({ count: 0 })
    const named = await relay(outage.id, 'evt_none', '--json')
    expect(named).toMatchObject({ code: 1, stderr: 'No entry has the event id "evt_none".\n' })
    const [attempt, summary] = named.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(attempt).toMatchObject({ kind: 'attempt', eventId: outage.id, status: 202 })
    expect(summary).toMatchObject({ kind: 'summary', found: 1, delivered: 1, failed: 0 })
    const searched = await relay('--search', outage.id, '--dry-run')
    expect(searched.stdout).toBe(`${outage.id}  outage_started\n1 event would be sent.\n`)
    const byType = await relay('--type', 'outage_updated')
    expect(byType.stdout).toContain('1 of 1 event delivered')
  })

  it('follows new events until it is interrupted', async () => {
    const { deployed, local, from } = await startBoth()
    const run = await relayLive(['--from', from, '--to', local.url], env, { deployed, local })
    expect(run.code).toBe(0)
    expect(run.stdout.match(/evt_last /g)).toHaveLength(1)
    expect(run.stdout).not.toContain(outage.id)
  })

  it('reads and follows a console with its token', async () => {
    const { deployed, local } = await startBoth()
    const token = 'relay-console-token-0123456789'
    const handle = toNodeHandler(createConsole({ inbox: deployed.inbox, token }))
    const { port, close } = await listen((request, response) => void handle(request, response))
    onTestFinished(close)
    const from = `http://127.0.0.1:${port}/ops/console`
    const given = { ...env, FEED_CONSOLE_TOKEN: token }
    const to = ['--from', from, '--to', local.url]
    const newest = await runMain(['relay', '--limit', '1', '--dry-run', ...to], { env: given })
    expect(newest.stdout).toBe(`${update.id}  outage_updated\n1 event would be sent.\n`)
    const named = await runMain(['relay', outage.id, 'evt_none', ...to], { env: given })
    expect(named).toMatchObject({ code: 1, stderr: 'No entry has the event id "evt_none".\n' })
    const copy = await local.inbox.entries.get(outage.id)
    expect(copy?.bodyBase64).toBe(bytes.toString('base64'))

    const live = await relayLive(to, given, { deployed, local })
    expect(live.code).toBe(0)
    expect(live.stdout.match(/evt_last /g)).toHaveLength(1)
    expect(live.stdout).not.toContain(update.id)

    const wrong = { ...env, FEED_CONSOLE_TOKEN: `${token}x` }
    const rejected = await runMain(['relay', ...to], { env: wrong })
    expect(rejected).toMatchObject({ code: 1, stdout: '' })
    expect(rejected.stderr).toContain('rejects this token')
    expect(rejected.stderr).not.toContain(token)
    const elsewhere = ['relay', '--from', new URL(local.url).origin, '--to', local.url]
    const none = await runMain(elsewhere, { env: given })
    expect(none.stderr).toContain('answered 404, but not as a console')
    expect(await runMain(['relay', ...to], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('FEED_CONSOLE_TOKEN is not set'),
    })
  })

  it('skips events whose content was pruned', async () => {
    const { deployed, local, from } = await startBoth()
    await using database = openDatabase(from)
    await database.query(
      `delete from feed_inbox.entry_body where entry_id =
         (select id from feed_inbox.entry where event_id = $1)`,
      [outage.id],
    )
    expect(await deployed.inbox.entries.get(outage.id)).toMatchObject({ bodyBase64: null })
    const run = await runMain(['relay', '--from', from, '--to', local.url], { env })
    expect(run.code).toBe(0)
    expect(run.stdout).toContain(
      `${outage.id}  outage_started  skipped: no signed body is stored (it was pruned, or came by pull)\n`,
    )
    expect(run.stdout).toContain('1 of 2 events delivered, 1 without a signed body')
  })

  it('skips events that only pull has brought', async () => {
    const { deployed, local, from } = await startBoth()
    const pulled = fixture('model_release')
    await deployed.inbox.acceptPage([pulled], { stream: 'events' })
    const run = await runMain(['relay', pulled.id, '--from', from, '--to', local.url], { env })
    expect(run.stdout).toContain(`${pulled.id}  model_release  skipped: no signed body is stored`)
    expect(run.stdout).toContain('0 of 1 event delivered, 1 without a signed body')
  })

  it('stops if the app has another secret or does not listen', async () => {
    const { local, from } = await startBoth()
    const args = ['relay', '--from', from, '--to', local.url]
    const other = await runMain(args, { env: { FEED_SIGNING_SECRET: deployedSecret } })
    expect(other.code).toBe(1)
    expect(other.stdout).toContain('0 of 2 events delivered, 1 failed, 1 not sent')
    expect(other.stderr).toContain('current signing secret')
    expect(other.stderr).toContain('would have paused the feed')
    await local.stop()
    const gone = await runMain(args, { env })
    expect(gone.code).toBe(1)
    expect(gone.stdout).toContain('1 failed, 1 not sent')
    expect(gone.stderr).toContain('Nothing listens there')
  })

  it.each([
    ['no source', ['--to', 'http://localhost:3000/'], 'needs --from'],
    [
      'a token without TLS',
      ['--from', 'http://example.com/console', '--to', 'http://localhost:3000/'],
      'Use https',
    ],
    [
      'a schema behind a console',
      ['--from', 'https://example.com/', '--to', 'http://10.0.0.1/', '--schema', 'other'],
      'Leave --source and --schema out',
    ],
    [
      'a password of a console',
      ['--from', 'https://ada:wordofpass1@example.com/console', '--to', 'http://10.0.0.1/'],
      '--from contains a user name or a password. Remove them',
    ],
    ['no target', ['--from', 'postgres://localhost/x'], 'needs --to'],
    [
      'a public target',
      ['--from', 'postgres://localhost/x', '--to', 'https://example.com/feed'],
      'add --allow-public',
    ],
    [
      'ids and a filter',
      ['e', '--type', 'x', '--from', 'postgres://localhost/x', '--to', 'http://10.0.0.1/'],
      'exclude each other',
    ],
    [
      'more than 500 ids',
      [...Array(501).keys()]
        .map(String)
        .concat('--from', 'postgres://x/x', '--to', 'http://10.0.0.1/'),
      'at most 500 event ids at once',
    ],
    ['a limit above 500', ['--limit', '501'], '--limit must be a whole number from 1 to 500'],
  ])('rejects %s', async (_, args, says) => {
    const run = await runMain(['relay', ...args], { env })
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(says)
    expect(run.stderr).not.toContain('wordofpass1')
  })

  it('prints no password of an unreachable database', async () => {
    const from = 'postgres://ada:wordofpass1@127.0.0.1:9/db'
    const args = ['relay', '--from', from, '--to', 'http://localhost:3000/']
    const run = await runMain(args, { env })
    expect(run.code).toBe(1)
    expect(run.stderr).not.toContain('wordofpass1')
  })
})
