import { Permanent } from '@feed-receiver/inbox'
import { createSender, fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { consoleClient } from '../../../test/support/console-client.ts'
import type { DatabaseKind } from '../../../test/support/databases.ts'
import { startProgram } from '../../../test/support/start-program.ts'
import { runMain } from '../test/run-main.ts'
import { startApp, type App } from '../test/start-app.ts'
import { startMain, type RunningCli } from '../test/start-cli.ts'

const secret = 'feed_whsec_consoletest0123456789abcd'
const token = 'console-test-0123456789abcdef'
const outage = fixture('outage_started')

describe('console', { timeout: 60_000 }, () => {
  it('shows the inbox of a running app to anyone with the link, and is read-only', async () => {
    const app = await startFilled('postgres')
    const running = startMain(consoleOf(app), { cwd: '/' })
    const url = new URL(await firstLine(running))
    expect(await (await fetch(url)).text()).toContain('<title>Inbox</title>')
    const client = consoleClient(url)
    expect((await client.get('entries')).status).toBe(401)
    await enter(client, url)
    const entries = [{ eventId: outage.id, state: 'dead' }]
    expect((await client.get('entries')).body).toMatchObject({ entries })
    expect((await client.post('retry', { ids: [outage.id] })).status).toBe(403)
    expect(await running.interrupt()).toBe(0)
  })

  it('allows actions with --write beside an embedded app, and records names', async () => {
    const app = await startFilled('pglite')
    const program = startProgram(
      new URL('bin.ts', import.meta.url),
      [...consoleOf(app), '--write', '--json'],
      { env: { ...process.env, USER: 'Ada & Co' } },
    )
    const { url: link, readOnly } = JSON.parse(await program.nextLine())
    expect(readOnly).toBe(false)
    const client = consoleClient(new URL(link))
    await enter(client, new URL(link))
    const answer = await client.post('retry', { ids: [outage.id] })
    expect(answer).toMatchObject({
      status: 200,
      text: expect.stringContaining('"done":true,"count":1'),
    })
    expect((await client.get('overview')).text).toContain('Ada & Co')
    expect(await program.stop('SIGTERM')).toBe(0)
  })

  it('reads a token from the environment, and never prints it', async () => {
    const app = await startFilled('postgres')
    const args = [...consoleOf(app), '--token-env', 'CONSOLE_TOKEN']
    const running = startMain(args, { cwd: '/', env: { CONSOLE_TOKEN: token } })
    const line = await firstLine(running)
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
    expect(await running.interrupt()).toBe(0)
    expect([...running.stdout, ...running.stderr].join('\n')).not.toContain(token)
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

function consoleOf({ databaseArguments }: App): string[] {
  return ['console', ...databaseArguments, '--port', '0']
}

async function firstLine(running: RunningCli): Promise<string> {
  const [line] = await running.line(/^.+$/)
  return line
}

async function enter(client: ReturnType<typeof consoleClient>, url: URL): Promise<void> {
  const given = new URLSearchParams(url.hash.slice(1))
  await client.login(given.get('token') ?? '', given.get('name') ?? '')
}
