import { Permanent } from '@feed-receiver/inbox'
import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChild, type Child } from '../../../test/support/child.ts'
import { consoleClient } from '../../../test/support/console-client.ts'
import type { DatabaseKind } from '../../../test/support/databases.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, type App } from '../test/start-app.ts'

const secret = 'feed_whsec_consoletest0123456789abcd'
const token = 'console-test-0123456789abcdef'
const outage = fixture('outage_started')

describe('console', { timeout: 60_000 }, () => {
  it('shows the inbox of a running app to anyone with the link, and is read-only', async () => {
    const app = await startFilled('postgres')
    const { child, line } = await open(app)
    const url = new URL(line)
    expect(await (await fetch(url)).text()).toContain('<title>Inbox</title>')
    const client = consoleClient(url)
    expect((await client.get('entries')).status).toBe(401)
    await enter(client, url)
    const entries = [{ eventId: outage.id, state: 'dead' }]
    expect((await client.get('entries')).body).toMatchObject({ entries })
    expect((await client.post('retry', { ids: [outage.id] })).status).toBe(403)
    child.kill('SIGINT')
    expect(await child.ended).toBe(0)
  })

  it('allows actions with --write beside an embedded app, and records names', async () => {
    const app = await startFilled('pglite')
    process.env['USER'] = 'Ada & Co'
    const { child, line } = await open(app, '--write', '--json')
    const { url: link, readOnly } = JSON.parse(line) as { url: string; readOnly: boolean }
    expect(readOnly).toBe(false)
    const client = consoleClient(new URL(link))
    await enter(client, new URL(link))
    const answer = await client.post('retry', { ids: [outage.id] })
    expect(answer).toMatchObject({
      status: 200,
      text: expect.stringContaining('"done":true,"count":1'),
    })
    expect((await client.get('overview')).text).toContain('Ada & Co')
    child.kill('SIGTERM')
    expect(await child.ended).toBe(0)
  })

  it('reads a token from the environment, and never prints it', async () => {
    const app = await startFilled('postgres')
    process.env['CONSOLE_TOKEN'] = token
    const { child, line } = await open(app, '--token-env', 'CONSOLE_TOKEN')
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
    const client = consoleClient(new URL(line))
    await client.login(token)
    expect((await client.get('entries')).status).toBe(200)
    const port = new URL(line).port
    const taken = await runMain(['console', ...app.databaseArguments, '--port', port])
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\(EADDRINUSE\)\..* --port and --host/),
    })
    child.kill('SIGINT')
    await child.ended
  })

  it('rejects an invalid port', async () => {
    const run = await runMain(['console', '--port', '70000'])
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('from 0 to 65535') })
  })

  it('rejects an unset or guessable token', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const args = ['console', ...app.databaseArguments, '--port', '0', '--token-env', 'TOKEN']
    const [none, short] = [await runMain(args), await runMain(args, { env: { TOKEN: 'letmein' } })]
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('TOKEN is not set') })
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('16 random') })
    expect(short.stderr).not.toContain('letmein')
  })
})

async function startFilled(kind: DatabaseKind): Promise<App> {
  const fail = () => {
    throw new Permanent('no such customer')
  }
  const app = await startApp({ kind, secret, handlers: { outage_started: fail } })
  await using sender = createSender({ secret })
  await sender.deliver(outage, { to: app.url })
  await expect.poll(async () => (await app.inbox.entries.get(outage.id))?.state).toBe('dead')
  return app
}

/** The real command, with the first line that it prints. */
async function open(app: App, ...args: string[]): Promise<{ child: Child; line: string }> {
  const all = ['console', ...app.databaseArguments, '--port', '0', ...args]
  const child = startChild(new URL('bin.ts', import.meta.url), all)
  onTestFinished(() => child.kill('SIGKILL'))
  return { child, line: await child.nextLine() }
}

async function enter(client: ReturnType<typeof consoleClient>, url: URL): Promise<void> {
  const given = new URLSearchParams(url.hash.slice(1))
  await client.login(given.get('token') ?? '', given.get('name') ?? '')
}
