import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { openDatabase } from '@feed-receiver/database'
import type { Inbox } from '@feed-receiver/inbox'
import { createAlerts } from '@feed-receiver/operate/alerts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runMain } from '../test/run-main.ts'
import { startApp, useApp, type App } from '../test/start-app.ts'
import { startMain } from '../test/start-cli.ts'

const secret = 'feed_whsec_alertstest0123456789abcdef'

/** An app that has the tables of alerts. */
const withAlerts = {
  kind: 'postgres',
  secret,
  extend: (inbox: Inbox) => createAlerts({ inbox, notify: () => {} }),
} as const

async function run(app: App, text: string): Promise<void> {
  await using database = openDatabase(app.database)
  await database.query(text)
}

const die = (app: App) =>
  run(
    app,
    `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
       confirmation, created_at, received_at, handled_at)
     values ('feed', 'evt_1', 'dead', 'outage_started', 'p', 'c', 't', 'confirmed', now(), now(), now())`,
  )

/** A Slack whose address is a secret. */
async function serveSlack(status: () => number) {
  const posts: unknown[] = []
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    posts.push(await json(request))
    response.writeHead(status()).end()
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { posts, url: `http://127.0.0.1:${port}/services/T0/B0/s3cretpath` }
}

it('checks once, notifies on stderr, and exits with 1 if an alert is open', async () => {
  const app = await startApp(withAlerts)
  const alerts = (...args: string[]) =>
    runMain(['alerts', '--once', ...app.databaseArguments, ...args])
  const calm = await alerts()
  expect(calm).toMatchObject({ code: 0, stdout: '', stderr: 'No alert is open.\n' })
  await die(app)
  const first = await alerts()
  expect(first).toMatchObject({ code: 1, stdout: expect.stringMatching(/1 +dead .*Dead entries/) })
  expect(first.stderr).toMatch(
    /^\S+Z alert 1 opened \(dead\): Dead entries of type outage_started: 1\. /,
  )
  const second = await alerts('--json')
  expect(second).toMatchObject({ code: 1, stderr: '' })
  expect(JSON.parse(second.stdout)).toMatchObject({
    type: 'checked',
    open: [{ id: 1, rule: 'dead' }],
  })
  const list = await runMain(['inbox', 'alerts', ...app.databaseArguments])
  expect(list).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^id +rule +opened +closed +message\n1 +dead/),
  })
  const health = await runMain(['inbox', 'health', ...app.databaseArguments])
  expect(health.stdout).toMatch(
    /^Dead entries of type outage_started: 1\. .* Alert open since \S+Z\.\n/,
  )
  expect(health.stdout.match(/Dead entries/g)).toHaveLength(1)
  const doctor = await runMain(['doctor', ...app.databaseArguments], {
    env: { FEED_SIGNING_SECRET: secret },
  })
  expect(doctor.stdout).toMatch(
    /warning +dead entries +1 found\. Alert open since \S+Z\.\n +See: feed-receiver inbox errors/,
  )
  expect(doctor.stdout).not.toContain(' alerts ')
})

it('lists an alert that is open though its problem is over, with its fix', async () => {
  const app = await startApp(withAlerts)
  await die(app)
  await runMain(['alerts', '--once', ...app.databaseArguments])
  await run(app, `update feed_inbox.entry set state = 'done'`)
  const health = await runMain(['inbox', 'health', ...app.databaseArguments])
  expect(health.stdout).toMatch(
    /\nAlert open since \S+Z: Dead entries.* This health check does not find it: it is over/,
  )
  const { stdout } = await runMain(['doctor', ...app.databaseArguments], {
    env: { FEED_SIGNING_SECRET: secret },
  })
  expect(stdout).toMatch(
    /warning +alerts +Open since \S+: Dead entries.*\n +.* This health check does not find it/,
  )
})

it.each([
  'drop table feed_inbox.alert cascade',
  'alter table feed_inbox.alert rename column rule to ruled',
])('does not hide rejections from doctor if it cannot be read: %s', async (damage) => {
  const app = await startApp(withAlerts)
  app.inbox.answered({ reason: 'signature_mismatch', status: 401, notes: [], durationMs: 1 })
  await expect.poll(async () => (await app.inbox.rejections()).length).toBe(1)
  await run(app, damage)
  const { stdout } = await runMain(['doctor', ...app.databaseArguments], {
    env: { FEED_SIGNING_SECRET: secret },
  })
  expect(stdout).toMatch(/warning +rejections +Rejected since .*signature_mismatch \(401\): 1/)
  expect(stdout).toMatch(/warning +alerts +Could not be read\. /)
})

it('shows since when an alert is open that the health says with another problem', async () => {
  const app = await startApp(withAlerts)
  await run(
    app,
    `insert into feed_inbox.entry (source, event_id, state, type, provider, category, title,
       confirmation, created_at, received_at)
     values ('feed', 'evt_1', 'received', 'outage_started', 'p', 'c', 't', 'confirmed',
       now() - interval '1 hour', now() - interval '1 hour')`,
  )
  const check = ['alerts', '--once', '--rule', 'oldest_pending.openAfterMinutes=0']
  expect(await runMain([...check, ...app.databaseArguments])).toMatchObject({ code: 1 })
  const { stdout } = await runMain(['inbox', 'health', ...app.databaseArguments])
  expect(stdout).toMatch(/\nEntries have been due .* no worker .* Alert open since \S+Z\.\n/)
  expect(stdout).not.toContain('does not find')
})

it('ignores open alerts of disabled rules in the exit code, and prints them', async () => {
  const app = await startApp(withAlerts)
  const alerts = (...args: string[]) =>
    runMain(['alerts', '--once', ...app.databaseArguments, ...args])
  await die(app)
  expect(await alerts()).toMatchObject({ code: 1 })
  const off = await alerts('--rule', 'dead=off')
  expect(off).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'Alert 1 is still open but does not count, because its rule dead is off here.\n',
  })
  const { code, stdout } = await alerts('--rule', 'dead=off', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'checked',
    open: [],
    switchedOff: [{ id: 1, rule: 'dead' }],
  })
  expect(await alerts('--rule', 'dead=on')).toMatchObject({ code: 1 })
})

it('posts to Slack with the URL from a variable, and never prints the URL', async () => {
  const app = await startApp(withAlerts)
  let status = 500
  const slack = await serveSlack(() => status)
  await die(app)
  const args = ['alerts', '--once', '--notify', 'slack=SLACK_URL', ...app.databaseArguments]
  const env = { SLACK_URL: slack.url }
  const failed = await runMain(args, { env })
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/warning: Alert 1 was not sent: 127\.0\.0\.1:\d+ answered 500\./),
  })
  status = 200
  await run(app, 'update feed_inbox.alert set notifying_until = now()')
  const sent = await runMain(args, { env })
  expect(slack.posts).toHaveLength(2)
  for (const { stdout, stderr } of [failed, sent]) expect(stdout + stderr).not.toContain('s3cret')
})

it('says what an inbox without the tables of alerts needs', async () => {
  const app = await startApp({ kind: 'postgres', secret })
  for (const args of [['alerts', '--once'], ['alerts']]) {
    expect(await runMain([...args, ...app.databaseArguments])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/lacks tables of the extension alerts\. Add it to the app/),
    })
  }
  const list = await runMain(['inbox', 'alerts', ...app.databaseArguments])
  expect(list).toMatchObject({ code: 0, stderr: 'No alerts.\n' })
})

it('watches until interrupted, and prints JSON records for scripts', async () => {
  const app = await startApp(withAlerts)
  const args = ['alerts', '--json', '--interval', '1s', '--rule', 'dead.closeAfterMinutes=0']
  const cli = startMain([...args, ...app.databaseArguments], { cwd: process.cwd() })
  await die(app)
  expect(await cli.record('notified')).toMatchObject({
    state: 'open',
    rule: 'dead',
    idempotencyKey: 'feed/1/open',
  })
  await run(app, `update feed_inbox.entry set state = 'done'`)
  await expect.poll(() => cli.stdout.length).toBe(2)
  expect(JSON.parse(cli.stdout[1] ?? '')).toMatchObject({
    state: 'closed',
    idempotencyKey: 'feed/1/closed',
  })
  expect(await cli.interrupt()).toBe(0)
})

describe('alerts', () => {
  const app = useApp(withAlerts)

  it('rejects a list of more than 500 before it opens the inbox', async () => {
    const none = ['--database', 'postgres://127.0.0.1:9/none']
    const { code, stderr } = await runMain(['inbox', 'alerts', '--limit', '501', ...none])
    expect(code).toBe(2)
    expect(stderr).toContain('--limit must be a whole number from 1 to 500')
  })

  it.each([
    [['--notify', 'mail'], /--notify must be stderr, webhook=/],
    [['--notify', 'slack=https://u:p4ssword@slack.example/s3cret'], /use an http or https URL/],
    [['--notify', 'webhook=NO_SUCH_NAME'], /NO_SUCH_NAME is not set/],
    [['--rule', 'dead'], /--rule dead is invalid/],
    [['--rule', 'deaths=off'], /there is no rule deaths/],
    [['--rule', 'dead.count=many'], /rules\.dead\.count: use a whole number .*, not many\./],
    [['--rule', 'silence.hours=abc'], /silence\.hours: use a number from 0\.1 to 8784, not abc\./],
    [['--rule', 'silence.hours=abc', '--rule', 'silence=on'], /silence\.hours: use a number/],
    [['--rule', 'dead.days= '], /dead\.days: use a number from 0\.1 to 366, not {2}\./],
    [['--interval', '0s'], /--interval must be from 1s/],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await runMain([
      'alerts',
      '--once',
      ...args,
      ...app().databaseArguments,
    ])
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/s3cret|p4ssword/)
  })
})
