import { execFile } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtProgram } from '../../../test/support/built-program.ts'
import { createTarget, describeOnEach, type DatabaseKind } from '../../../test/support/databases.ts'
import { openApp } from '../../sandbox/test/open-app.ts'
import { runMain } from '../test/run-main.ts'
import { startCli, startMain } from '../test/start-cli.ts'
import { freePort } from '../../../test/support/free-port.ts'

const secret = 'feed_whsec_that_the_app_has_already'

describeOnEach('feed-receiver sandbox on %s', (kind) => {
  it('prints its URLs, keeps its state, and deletes it with --fresh', async () => {
    const { cwd, database } = await makeFolder(kind)
    const args = ['sandbox', '--port', '0', ...database]
    // Once as a process. Opening an embedded database takes seconds there.
    const start = kind === 'postgres' ? startCli : startMain
    const first = start(args, { cwd })
    const [, address = ''] = await first.line(/Address +(http:\S+)/)
    const [, developers = ''] = await first.line(/Developers +(http:\S+)/)
    const [, control = ''] = await first.line(/Control page +(http:\S+)/)
    const [, key = ''] = await first.line(/API key +(feed_live_\S+)/)
    expect(await statusOf(`${address}/v1/events`)).toBe(401)
    expect(await statusOf(`${address}/v1/events`, key)).toBe(200)
    expect(await statusOf(developers)).toBe(200)
    expect(await statusOf(control)).toBe(302)
    expect(await first.interrupt()).toBe(0)
    expect(first.stderr).toEqual([])

    const second = startMain([...args, '--json'], { cwd })
    const { url, apiKey } = await second.record('started')
    expect(apiKey).toBe(key)
    expect(await statusOf(`${url}/v1/events`, key)).toBe(200)
    expect(await second.interrupt()).toBe(0)
    expect(second.stdout.at(-1)).toBe('{"type":"stopped"}')

    const third = startMain([...args, '--json', '--fresh'], { cwd })
    const again = await third.record('started')
    expect(await statusOf(`${again.url}/v1/events`, key)).toBe(401)
    expect(await statusOf(`${again.url}/v1/events`, again.apiKey)).toBe(200)
    expect(await third.interrupt()).toBe(0)
  }, 120_000)
})

it('leaves no link of itself behind an error', async () => {
  const { cwd, database } = await makeFolder('postgres')
  const forward = ['--forward', 'https://hooks.slack.com/no-webhook']
  const run = await runMain(['sandbox', '--port', '0', ...database, ...forward], { cwd })
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('webhook') })
  await expect(access(join(cwd, '.feed-receiver/running.json'))).rejects.toThrow('ENOENT')
})

it('prints one API key in all runs, and another after it is revoked', async () => {
  const { cwd, database } = await makeFolder('postgres')
  const args = ['sandbox', '--port', '0', '--json', ...database]
  const earlier = startMain(args, { cwd })
  const { apiKey: unused, controlUrl } = await earlier.record('started')
  expect(await act(controlUrl, 'keys')).toMatchObject([{ name: 'feed-receiver sandbox' }])
  expect(await earlier.interrupt()).toBe(0)

  const first = startMain(args, { cwd })
  const { url, apiKey, controlUrl: openUrl } = await first.record('started')
  const second = startMain(args, { cwd })
  const { apiKey: shared } = await second.record('started')
  expect([apiKey, shared]).toEqual([unused, unused])
  expect(await statusOf(`${url}/v1/events`, unused)).toBe(200)
  const [stored, ...others] = await act(openUrl, 'keys')
  expect(others).toEqual([])
  await act(openUrl, 'revoke-key', { id: stored?.id })
  // Each goes back to the folder in which it was started.
  expect(await second.interrupt()).toBe(0)
  expect(await first.interrupt()).toBe(0)

  const later = startMain(args, { cwd })
  const { apiKey: next, url: laterUrl } = await later.record('started')
  expect(await statusOf(`${laterUrl}/v1/events`, unused)).toBe(401)
  expect(await statusOf(`${laterUrl}/v1/events`, next)).toBe(200)
  expect(await later.interrupt()).toBe(0)
}, 120_000)

it.each([
  [[], { firstCursor: 'tail', moveChanged: true }],
  [['--first-cursor', 'replay', '--in-place'], { firstCursor: 'replay', moveChanged: false }],
])(
  'applies the settings of %j',
  async (options, settings) => {
    const { cwd, database } = await makeFolder('postgres')
    const running = startMain(['sandbox', '--port', '0', '--json', ...database, ...options], {
      cwd,
    })
    const { url, controlUrl } = await running.record('started')
    const session = new URL(controlUrl).searchParams.get('session')
    const headers = { authorization: `Bearer ${session}` }
    const read = await fetch(`${url}/_sandbox/api/settings`, { headers })
    expect(await read.json()).toEqual({ data: settings })
    expect(await running.interrupt()).toBe(0)
  },
  90_000,
)

describe('feed-receiver sandbox --forward', () => {
  it('uses the secret from ./.env, and waits for the app', async () => {
    const { cwd, database } = await makeFolder()
    await writeFile(join(cwd, '.env'), `FEED_SIGNING_SECRET='${secret}'\n`)
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/webhooks/feed`
    const args = ['--port', '0', '--json', '--tick', '1s', '--forward', url]
    const running = startMain(['sandbox', ...database, ...args], { cwd })
    expect(await running.record('waiting')).toMatchObject({ errorCode: 'ECONNREFUSED' })

    const app = await openApp(port)
    app.secrets = [secret]
    expect(await running.record('live')).toMatchObject({
      address: url,
      tests: expect.any(Number),
    })
    // One test, then an event per tick.
    await expect.poll(() => app.inbox.entries.size, { timeout: 30_000 }).toBeGreaterThan(2)
    expect(await running.interrupt()).toBe(0)
    expect([...running.stdout, ...running.stderr].join('\n')).not.toContain(secret)
  }, 90_000)

  it('generates a missing secret, and prints the line for .env', async () => {
    const { cwd, database } = await makeFolder()
    const app = await openApp()
    const args = ['sandbox', '--port', '0', '--forward', app.url]
    const running = startMain([...args, ...database], { cwd })
    const [, made = ''] = await running.line(/^ {2}FEED_SIGNING_SECRET=(feed_whsec_\S+)$/)
    await running.line(/answers 401, because its FEED_SIGNING_SECRET differs/)
    app.answer = () => ({ status: 403 })
    await running.line(/answers 403\. Something in front of the receiver rejects/)
    app.answer = () => ({ status: 401 })
    await running.line(/answers 401\. Something in front of the receiver did not let/)
    app.answer = null
    app.secrets = [made]
    await running.line(/The feed is live\./)
    expect(await running.interrupt()).toBe(0)
  }, 90_000)

  it('names where chat messages are shown if they are not posted', async () => {
    const { cwd, database } = await makeFolder()
    const url = 'https://hooks.slack.com/services/T000/B000/XXXX'
    const args = ['sandbox', '--port', '0', '--forward', url]
    const running = startMain([...args, ...database], { cwd })
    await running.line(/Messages for .+ are only shown on the control page\. .+ --send-chat/)
    expect(await running.interrupt()).toBe(0)
    expect(running.stdout.join('\n')).not.toMatch(/2xx|null/)
  }, 90_000)

  it('stops at once while it waits for the app', async () => {
    const { cwd, database } = await makeFolder()
    const url = `http://127.0.0.1:${await freePort()}/feed`
    const args = ['sandbox', '--port', '0', '--json', '--forward', url]
    const running = startMain([...args, ...database], { cwd })
    await running.record('waiting')
    expect(await running.interrupt()).toBe(0)
    expect(running.stderr).toEqual([])
  }, 90_000)

  it('rejects a destination that --strict forbids', async () => {
    const { cwd, database } = await makeFolder()
    const args = ['sandbox', '--port', '0', '--json', '--strict']
    const running = startMain([...args, '--forward', 'http://127.0.0.1:9/feed', ...database], {
      cwd,
    })
    expect(await running.ended).toBe(1)
    expect(JSON.parse(running.stderr.at(-1) ?? '')).toMatchObject({ code: 'rejected' })
  }, 90_000)
})

describe('feed-receiver sandbox', () => {
  it('reports that the port is in use', async () => {
    const { cwd, database } = await makeFolder()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const running = startMain(['sandbox', '--port', String(port), '--json', ...database], { cwd })
    expect(await running.ended).toBe(1)
    expect(JSON.parse(running.stderr.at(-1) ?? '')).toMatchObject({
      code: 'port_taken',
      error: expect.stringMatching(new RegExp(`^Port ${port} is in use\\. .* --port 0`)),
    })
  }, 90_000)

  it.each([
    [['--port', '65536'], /--port must be a whole number from 0 to 65535/],
    [['--tick', '10'], /--tick must be from 1s to 24h/],
    [['--tick', '0s'], /--tick must be from 1s to 24h/],
    [['--tick', '25h'], /--tick must be from 1s to 24h/],
    [['--first-cursor', 'repaly'], /--first-cursor must be one of tail, replay.*replay/],
    [['--forward', 'localhost:3000'], /--forward is not an http or https URL/],
  ])('rejects %j', async (args, message) => {
    const run = await runMain(['sandbox', ...args])
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  })

  it('names a folder that cannot hold its database', async () => {
    const { cwd } = await makeFolder()
    await writeFile(join(cwd, 'notes.txt'), '')
    const run = await runMain(['sandbox', '--port', '0', '--database', 'notes.txt'], { cwd })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(join(cwd, 'notes.txt')) })
  })

  it('is not loaded by other commands', async () => {
    const program = `
      const { createRequire } = await import('node:module')
      const loaded = () => Object.keys(createRequire('${import.meta.url}').cache)
        .some((path) => /node_modules.fastify.fastify\\.js$/.test(path))
      const { commands } = await import('${builtProgram(new URL('commands.ts', import.meta.url))}')
      for (const { load } of commands) await load()
      const before = loaded()
      await import('@feed-receiver/sandbox')
      console.log(before, loaded())`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: new URL('.', import.meta.url).pathname,
    })
    expect((await run).stdout).toBe('false true\n')
  })
})

async function makeFolder(
  kind: DatabaseKind = 'postgres',
): Promise<{ cwd: string; database: string[] }> {
  const cwd = await mkdtemp(join(tmpdir(), 'feed-receiver-sandbox-'))
  const { target, drop } = await createTarget(kind)
  onTestFinished(async () => {
    await drop()
    await rm(cwd, { recursive: true, force: true })
  })
  return { cwd, database: ['--database', typeof target === 'string' ? target : target.folder] }
}

/** An action of the control page: a read, unless there is an input. */
async function act(controlUrl: string, name: string, input?: object) {
  const { origin, searchParams } = new URL(controlUrl)
  const headers = {
    authorization: `Bearer ${searchParams.get('session')}`,
    'content-type': 'application/json',
  }
  const change = input && { method: 'POST', body: JSON.stringify(input) }
  const answer = await fetch(`${origin}/_sandbox/api/${name}`, { headers, ...change })
  const { data } = (await answer.json()) as { data: { id: number; name: string }[] }
  return data
}

async function statusOf(url: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return (await fetch(url, { headers, redirect: 'manual' })).status
}
