import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInbox } from '@feed-receiver/inbox'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { runSql } from '../../../test/support/postgres.ts'
import { serveTls } from '../../../test/support/serve-tls.ts'
import { copyEmbedded, createCopy } from '../../../test/support/templates.ts'
import { openApp } from '../../sandbox/test/open-app.ts'
import { runMain } from '../test/run-main.ts'
import { startCli, startMain } from '../test/start-cli.ts'

const secret = 'feed_whsec_that_the_app_has_already'
const slackUrl = 'https://hooks.slack.com/services/T00000001/B00000001/abcdefghijklmnopqrstuvwx'

describe('feed-receiver dev', () => {
  it('delivers to the app at the URL, and publishes a first event', async () => {
    const app = await openApp()
    app.secrets = [secret]
    const { feed, ...where } = await makeFolder({ secret })
    const cli = startMain(['dev', app.url, ...feed, '--json'], where)
    const { page, api } = await cli.record('started')
    expect((await fetch(page, { redirect: 'manual' })).status).toBe(302)
    expect((await fetch(api)).status).toBe(401)
    expect(await cli.record('live')).toMatchObject({ url: app.url, tests: 1 })
    const attempt = await cli.record('attempt')
    expect(attempt).toMatchObject({ kind: 'live', result: 'accepted', status: 202 })
    expect(app.inbox.entries.has(attempt.eventId)).toBe(true)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('writes a secret to .env, and reports 401 until the app uses it', async () => {
    const { cwd, feed } = await makeFolder({})
    await writeFile(join(cwd, '.env'), 'OTHER=1')
    const app = await openApp()
    const cli = startMain(['dev', app.url, ...feed], { cwd })
    await cli.line(
      /answers 401, because its FEED_SIGNING_SECRET differs from the one that signs here/,
    )
    expect(cli.stderr.join('\n')).toContain('Wrote a new FEED_SIGNING_SECRET to ./.env.')
    const [, written = ''] =
      /^OTHER=1\nFEED_SIGNING_SECRET=(feed_whsec_\w{48})\n$/.exec(
        await readFile(join(cwd, '.env'), 'utf8'),
      ) ?? []
    app.secrets = [written]
    await cli.line(/accepts deliveries\. The feed is live\./)
    await cli.line(/→ 202 in \d+ ms +model_release +A first event/)
    expect(cli.stdout.every((line) => line.length <= 400)).toBe(true)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('does not blame the secret for a 401 of another program', async () => {
    const { feed, ...where } = await makeFolder({ secret })
    const app = await openApp()
    app.answer = () => ({ status: 401 })
    const cli = startMain(['dev', app.url, ...feed], where)
    await cli.line(/answers 401\. Something in front of the receiver did not let the request in/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('says which files with secrets Git does not ignore', async () => {
    const { cwd, feed } = await makeFolder({})
    const app = await openApp()
    const run = async () => {
      const cli = startMain(['dev', app.url, ...feed], { cwd })
      await cli.line(/answers 401/)
      expect(await cli.interrupt()).toBe(0)
      return cli.stderr.filter((line) => line.startsWith('Git '))
    }
    expect(await run()).toEqual([])
    execFileSync('git', ['init', '--quiet'], { cwd })
    expect(await run()).toEqual([
      'Git does not ignore .env and .feed-receiver/, where secrets are stored. Add them to .gitignore.',
    ])
    await writeFile(join(cwd, '.gitignore'), '.env*\n')
    expect(await run()).toEqual([
      'Git does not ignore .feed-receiver/, where secrets are stored. Add it to .gitignore.',
    ])
    await writeFile(join(cwd, '.gitignore'), '.env*\n.feed-receiver\n')
    expect(await run()).toEqual([])
  }, 60_000)

  it('starts beside a file .env that cannot be read, with a secret in the environment', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    await symlink('.env', join(cwd, '.env'))
    const app = await openApp()
    const cli = startMain(['dev', app.url, ...feed], { cwd, env })
    await cli.line(/answers 401/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('names the scheme that a URL lacks, before it writes a secret', async () => {
    const { cwd } = await makeFolder({})
    const { code, stderr } = await runMain(['dev', 'localhost:3000/feed'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('Use http://localhost:3000/feed.')
    expect(existsSync(join(cwd, '.env'))).toBe(false)
  })

  it('needs no file .env with a secret in the environment, and asks for one beside a folder .env', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    await mkdir(join(cwd, '.env'))
    const app = await openApp()
    const cli = startMain(['dev', app.url, ...feed], { cwd, env })
    await cli.line(/answers 401/)
    expect(await cli.interrupt()).toBe(0)
    const none = await runMain(['dev', app.url, ...feed], { cwd, env: {} })
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('./.env is a folder, so no secret can be written to it. Set'),
    })
  }, 60_000)

  it('creates a missing .env that only the owner can read', async () => {
    const { cwd, feed } = await makeFolder({})
    const app = await openApp()
    const cli = startMain(['dev', app.url, ...feed], { cwd })
    await cli.line(/answers 401/)
    expect((await stat(join(cwd, '.env'))).mode & 0o777).toBe(0o600)
  }, 60_000)

  it('finds the app on the port in .env, lists what it tried, and follows the app to another port', async () => {
    const first = await openApp()
    first.secrets = [secret]
    const { cwd, env, feed } = await makeFolder({ secret })
    const save = (port: string) => writeFile(join(cwd, '.env'), `PORT=${port}\n`)
    const silent = createServer((_, response) => response.writeHead(404).end())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void silent.close())
    const { port: silentPort } = silent.address() as AddressInfo
    await save(String(silentPort))
    const cli = startMain(['dev', ...feed], { cwd, env })
    await cli.line(/No receiver answers yet:/)
    await cli.line(new RegExp(`localhost:${silentPort}/webhooks/feed answers 404`))
    await cli.line(/app\.post\('\/webhooks\/feed', toExpress\(receiver\)\)/)

    await save(new URL(first.url).port)
    await cli.line(new RegExp(`localhost:${new URL(first.url).port}/webhooks/feed accepts`))
    await expect.poll(() => first.inbox.entries.size).toBeGreaterThan(1)
    first.close()
    const second = await openApp()
    second.secrets = [secret]
    await save(new URL(second.url).port)
    // Only the next delivery notices that the app is gone.
    const { url: control, headers } = await controlOf(cli.stdout)
    await fetch(`${control}/api/compose-event`, { method: 'POST', headers, body: '{}' })
    await cli.line(/→ no answer .*again in/)
    await cli.line(new RegExp(`localhost:${new URL(second.url).port}/webhooks/feed accepts`))
    await expect.poll(() => second.arrivals.length, { timeout: 10_000 }).toBeGreaterThan(2)
    expect(await cli.interrupt()).toBe(0)
  }, 90_000)

  it('names the route file of an app that may still compile it', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    await startAppWithoutRoute(cwd)
    await mkdir(join(cwd, 'app/webhooks/feed'), { recursive: true })
    await writeFile(join(cwd, 'app/webhooks/feed/route.ts'), '')
    const cli = startMain(['dev', ...feed], { cwd, env })
    await cli.line(/app\/webhooks\/feed\/route\.ts exists, so the app may still compile it/)
    expect(cli.stdout.join('\n')).not.toMatch(/Mount it/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('shows how the framework of the app mounts the receiver', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    await startAppWithoutRoute(cwd)
    await writeFile(join(cwd, 'package.json'), '{"dependencies":{"next":"16","express":"5"}}')
    const cli = startMain(['dev', ...feed], { cwd, env })
    await cli.line(/Mount it \(here in next\)/)
    await cli.line(/export const POST = toNext\(receiver\)/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('says that a login answers before the receiver, as doctor does', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    await startAppWithoutRoute(cwd, 401)
    await writeFile(join(cwd, 'package.json'), '{"dependencies":{"koa":"3"}}')
    const cli = startMain(['dev', ...feed], { cwd, env })
    await cli.line(/webhooks\/feed: Something in front of the receiver did not let the request in/)
    await cli.line(/^If the receiver has another URL/)
    expect(cli.stdout.join('\n')).not.toMatch(/Mount it/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it.each([
    ['without a query', ''],
    ['with a query', '?key=of-this-app'],
  ])(
    'delivers only to the new URL if the app moved between two runs, %s',
    async (_, query) => {
      const [first, second] = [await openApp(), await openApp()]
      for (const app of [first, second]) app.secrets = [secret]
      const { feed, ...where } = await makeFolder({ secret })
      for (const app of [first, second, first]) {
        const before = { first: first.arrivals.length, second: second.arrivals.length }
        const cli = startMain(['dev', app.url + query, ...feed], where)
        await cli.line(/The feed is live\./)
        const { url: control, headers } = await controlOf(cli.stdout)
        const body = JSON.stringify({ title: `For ${app.url}` })
        await fetch(`${control}/api/compose-event`, { method: 'POST', headers, body })
        await expect
          .poll(() => app.arrivals.some((one) => one.body.includes(`For ${app.url}`)))
          .toBe(true)
        const answer = await fetch(`${control}/api/destinations`, { headers })
        const address = query === '' ? app.url : `${app.url}?…`
        expect(await answer.json()).toMatchObject({ data: [{ address }] })
        const other = app === first ? 'second' : 'first'
        expect({ first, second }[other].arrivals).toHaveLength(before[other])
        expect(await cli.interrupt()).toBe(0)
      }
    },
    90_000,
  )

  it('keeps a Slack destination that has the name of its own', async () => {
    const [first, second] = [await openApp(), await openApp()]
    for (const app of [first, second]) app.secrets = [secret]
    const { feed, ...where } = await makeFolder({ secret })
    const slack = { accountId: 'acct_sandbox', name: 'Forward', url: slackUrl }
    for (const app of [first, second, first]) {
      const cli = startMain(['dev', app.url, ...feed], where)
      await cli.line(/The feed is live\./)
      const { url: control, headers } = await controlOf(cli.stdout)
      const list = async () => {
        const answer = await fetch(`${control}/api/destinations`, { headers })
        return (await answer.json()) as { data: object[] }
      }
      if ((await list()).data.length === 1) {
        const body = JSON.stringify(slack)
        await fetch(`${control}/api/create-destination`, { method: 'POST', headers, body })
      }
      expect(await list()).toMatchObject({
        data: [{ kind: 'signed', address: app.url }, { kind: 'slack' }],
      })
      expect(await cli.interrupt()).toBe(0)
    }
  }, 90_000)

  it.each(['live', 'tested'])(
    'says that its %s destination was deleted, and goes on',
    async (state) => {
      const app = await openApp()
      app.secrets = [secret]
      const { feed, ...where } = await makeFolder({ secret })
      const cli = startMain(['dev', app.url, ...feed], where)
      await cli.line(/→ 202/)
      const { url: control, headers } = await controlOf(cli.stdout)
      const post = (path: string, body: object) =>
        fetch(`${control}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      if (state === 'tested') {
        app.secrets = ['feed_whsec_another']
        await post('compose-event', {})
        await cli.line(/→ 401 PAUSED/)
      }
      const answer = await fetch(`${control}/api/destinations`, { headers })
      const { data } = (await answer.json()) as { data: { id: string }[] }
      expect(data).toHaveLength(1)
      await post('delete-destination', { id: data[0]?.id })
      await cli.line(/was deleted.* Restart dev/)
      expect((await post('compose-event', {})).status).toBe(200)
      expect(await cli.interrupt()).toBe(0)
    },
    60_000,
  )

  it('reports at once that an answer paused the feed, with the reason, and resumes automatically', async () => {
    const app = await openApp()
    app.secrets = [secret]
    const { feed, ...where } = await makeFolder({ secret })
    const cli = startMain(['dev', app.url, ...feed], where)
    await cli.line(/→ 202/)
    app.answer = ({ body }) => ({ status: body.includes('destination_test') ? 204 : 404 })
    const { url: control, headers } = await controlOf(cli.stdout)
    await fetch(`${control}/api/compose-event`, { method: 'POST', headers, body: '{}' })
    await cli.line(/→ 404 PAUSED/)
    await cli.line(/No route matches this path\. Check the path\./)
    await cli.line(/dev repeats a test delivery until your app accepts it/)
    await expect
      .poll(() => cli.stdout.filter((line) => line.includes('The feed is live.')).length)
      .toBe(2)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('starts the command after -- with the secret, and exits with its exit code', async () => {
    const { cwd, feed } = await makeFolder({})
    const script = `
      const seen = process.env.FEED_SIGNING_SECRET.length + ' ' + process.argv[1]
      require('node:fs').writeFileSync('seen', seen)
      process.exit(3)`
    const command = ['--', process.execPath, '-e', script, 'an argument']
    const cli = startMain(['dev', ...feed, ...command], { cwd })
    expect(await cli.ended).toBe(3)
    expect(await readFile(join(cwd, 'seen'), 'utf8')).toBe('59 an argument')
  }, 60_000)

  it('leaves the other variables of .env to the command after --', async () => {
    const { cwd, feed } = await makeFolder({ secret })
    await writeFile(join(cwd, '.env'), `FEED_SIGNING_SECRET=${secret}\nOTHER=of-the-file\n`)
    const script = `
      const { FEED_SIGNING_SECRET, OTHER = 'unset', OWN } = process.env
      require('node:fs').writeFileSync('seen', [FEED_SIGNING_SECRET, OTHER, OWN].join(' '))`
    const command = ['--', process.execPath, '-e', script]
    const cli = startMain(['dev', ...feed, ...command], { cwd, env: { OWN: 'of-the-shell' } })
    expect(await cli.ended).toBe(0)
    expect(await readFile(join(cwd, 'seen'), 'utf8')).toBe(`${secret} unset of-the-shell`)
  }, 60_000)

  it('shows the output of the command after --, and stops it on Ctrl-C', async () => {
    const { cwd, feed } = await makeFolder({})
    const script =
      "process.on('SIGTERM', () => { console.log('shut down'); process.exit(0) }); setInterval(() => {}, 1e3); console.log('up')"
    const command = ['--', process.execPath, '-e', script]
    // The command writes to the output of the process.
    const cli = startCli(['dev', ...feed, ...command], { cwd })
    await cli.line(/^up$/)
    expect(await cli.interrupt()).toBe(0)
    expect(cli.stdout).toContain('shut down')
  }, 60_000)

  it('prints the results of handlers, and shows the inbox on the page', async () => {
    const { url, drop } = await createCopy('nothing')
    onTestFinished(drop)
    const inbox = createInbox({ database: url })
    await inbox.start()
    onTestFinished(() => inbox.stop())
    await inbox.work({
      outage_started: () => {
        throw new Error('The page cannot be sent.')
      },
      model_release: () => undefined,
    })
    const app = await openApp()
    app.secrets = [secret]
    app.store = inbox
    const { cwd, env, feed } = await makeFolder({ secret })
    const cli = startMain(['dev', app.url, ...feed, '--database', url], { cwd, env })
    await cli.line(/✓ handled in \d+ ms +model_release +A first event/)
    const { url: control, headers } = await controlOf(cli.stdout)
    const body = JSON.stringify({ eventType: 'outage_started' })
    await fetch(`${control}/api/compose-event`, { method: 'POST', headers, body })
    await cli.line(
      /! failing, attempt 1 +outage_started +again in \d+ s, The page cannot be sent\./,
    )
    const answer = await fetch(`${control}/inbox/api/entries`, { headers })
    expect(await answer.json()).toMatchObject({ entries: [{ type: 'outage_started' }, {}, {}] })
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('explains why there is no inbox to show yet', async () => {
    const { cwd, env, feed } = await makeFolder({ secret })
    const cli = startMain(['dev', 'http://localhost:1/', ...feed], { cwd, env })
    await cli.line(/Nothing listens at http:\/\/localhost:1\/ yet\./)
    const { url: control, headers } = await controlOf(cli.stdout)
    const answer = await fetch(`${control}/inbox/api/session`, { headers })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({
      code: 'no_inbox',
      error: expect.stringContaining('no embedded database'),
    })
  }, 60_000)

  it.each([
    ['a folder without a database', ['--database', 'nowhere'], 'no embedded database in nowhere'],
    [
      'several shards without --shard',
      ['--database', 'postgres://127.0.0.1:9/one postgres://127.0.0.1:9/two'],
      'Choose one with --shard',
    ],
  ])(
    'warns once that it cannot show the inbox of %s',
    async (_, database, says) => {
      const { feed, ...where } = await makeFolder({ secret })
      const cli = startMain(['dev', 'http://localhost:1/', ...feed, ...database], where)
      const warnings = () => cli.stderr.filter((line) => line.startsWith('warning:'))
      await expect.poll(warnings, { timeout: 20_000 }).toHaveLength(1)
      expect(warnings()).toEqual([expect.stringContaining(says)])
      expect(await cli.interrupt()).toBe(0)
      expect(warnings()).toHaveLength(1)
    },
    60_000,
  )

  it('names the option for another port if the port is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const { feed, ...where } = await makeFolder({ secret })
    const cli = startMain(['dev', ...feed, '--port', String(port)], where)
    expect(await cli.ended).toBe(1)
    expect(cli.stderr.join('\n')).toMatch(
      new RegExp(`Port ${port} is in use\\. .* --port 0, before the -- `),
    )
  }, 60_000)

  it('advises the http:// URL if a certificate is not trusted', async () => {
    const { port } = await serveTls('localhost')
    const { feed, ...where } = await makeFolder({ secret })
    const cli = startMain(['dev', `https://localhost:${port}/`, ...feed], where)
    await cli.line(/certificate that is not trusted \(\w+\).* Use the http:\/\/ URL/)
    expect(await cli.interrupt()).toBe(0)
  }, 60_000)

  it('advises another feed folder if another dev uses this one', async () => {
    const { cwd } = await makeFolder({})
    await copyEmbedded(join(cwd, '.feed-receiver/sandbox'), 'nothing')
    const args = ['dev', 'http://127.0.0.1:1/', '--port', '0']
    const first = startCli(args, { cwd, env: { FEED_SIGNING_SECRET: secret } })
    await first.line(/Nothing listens at/)
    const second = startMain(args, { cwd, env: { FEED_SIGNING_SECRET: secret } })
    expect(await second.ended).toBe(1)
    expect(second.stderr.join('\n')).toContain('--feed <folder>')
    expect(await first.interrupt()).toBe(0)
  }, 60_000)

  it('prints each run after its start once, also after the inbox was unavailable', async () => {
    const database = await createCopy('nothing')
    onTestFinished(database.drop)
    const app = await openApp()
    app.secrets = [secret]
    const handle = async () => {
      const inbox = createInbox({ database: database.url })
      await inbox.start()
      await inbox.work({ model_release: () => undefined })
      app.store = inbox
      return inbox
    }
    const before = await handle()
    const earlier = makeEvent()
    await before.accept(deliveryOf(earlier))
    await expect.poll(() => before.entries.get(earlier.id)).toMatchObject({ state: 'done' })
    const { cwd, env, feed } = await makeFolder({ secret })
    const cli = startMain(['dev', app.url, ...feed, '--database', database.url], { cwd, env })
    const handled = /✓ handled in \d+ ms +model_release/
    await cli.line(handled)
    await before.stop()
    const { url: control, headers } = await controlOf(cli.stdout)
    const name = new URL(database.url).pathname.slice(1)
    const runOnServer = (sql: string) => runSql(inject('postgresUrl'), sql)
    // As a restart of PostgreSQL would, which takes a moment.
    await runOnServer(`alter database ${name} allow_connections false`)
    await runOnServer(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    const shown = async () => (await fetch(`${control}/inbox/api/session`, { headers })).status
    await expect.poll(shown).toBe(503)
    await runOnServer(`alter database ${name} allow_connections true`)
    await expect.poll(shown).toBe(200)
    const after = await handle()
    // The third run is of a later poll, so that of the second has printed all that it will.
    for (const title of ['A second one', 'A third one']) {
      const body = JSON.stringify({ eventType: 'model_release', title })
      await fetch(`${control}/api/compose-event`, { method: 'POST', headers, body })
      await cli.line(new RegExp(`✓ handled in \\d+ ms +model_release +${title}`))
    }
    expect(cli.stdout.filter((line) => handled.test(line))).toHaveLength(3)
    expect(await cli.interrupt()).toBe(0)
    await after.stop()
  }, 60_000)

  it('reports a command that cannot be started', async () => {
    const { feed, ...where } = await makeFolder({ secret })
    const cli = startMain(['dev', ...feed, '--', 'no-such-program-anywhere'], where)
    expect(await cli.ended).toBe(1)
    expect(cli.stderr.join('\n')).toContain('no-such-program-anywhere cannot be started')
  }, 60_000)
})

/** Starts an app without the route of the feed, whose port is in .env. */
async function startAppWithoutRoute(cwd: string, status = 404): Promise<void> {
  const app = createServer((_, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void app.close())
  const { port } = app.address() as AddressInfo
  await writeFile(join(cwd, '.env'), `PORT=${port}\n`)
}

/** A new folder, a new feed, and an environment with the secret of the app if one is given. */
async function makeFolder({ secret: own }: { secret?: string }) {
  const cwd = await mkdtemp(join(tmpdir(), 'dev-'))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const { url, drop } = await createCopy('nothing')
  onTestFinished(drop)
  const feed = ['--port', '0', '--feed', url]
  return { cwd, feed, env: own === undefined ? {} : { FEED_SIGNING_SECRET: own } }
}

/** The control URL of the page, and headers with its session. */
async function controlOf(stdout: readonly string[]) {
  const link = stdout.join('\n').match(/http:\S+\/open\?session=\S+/)?.[0] ?? ''
  const session = new URL(link).searchParams.get('session')
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' }
  return { url: link.replace(/\/open.*/, ''), headers }
}
