import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fixture } from '@feed-receiver/sender'
import { describe, expect, it } from 'vitest'
import { filledKinds } from '../../../test/support/databases.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { closedPort, serve } from '../../sender/test/serve.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'

const secret = 'feed_whsec_sendtest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }
const { id } = fixture('outage_started')

describe.each(filledKinds)('send, to an app on %s', (kind) => {
  it('delivers an event of a type with the changes of --set', async () => {
    const app = await startApp({ kind, secret })
    const first = await runMain(
      [
        'send',
        'outage_started',
        '--to',
        app.url,
        '--set',
        'data.title=Mine',
        '--set=data.summary:=null',
      ],
      { env },
    )
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^attempt 1 {2}202 accepted {2}\d+ ms {2}\{"status":"stored"/)
    expect(first.stdout).toContain(`delivered ${id}\n`)
    const entry = await app.inbox.entries.get(id)
    expect(entry?.event?.data).toMatchObject({ title: 'Mine', summary: null })

    const again = await runMain(['send', 'outage_started', '--to', app.url, '--new-id', '--json'], {
      env,
    })
    expect(JSON.parse(again.stdout)).toMatchObject({
      result: 'delivered',
      attempts: [{ status: 202, cause: 'accepted' }],
    })
  })
})

describe('send', () => {
  it('sends the bytes of a file unchanged', async () => {
    const folder = await makeFolder()
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    const text = `${JSON.stringify(fixture('outage_started'), null, 3)}\r\n`
    const captured = { headers: {}, bodyBase64: Buffer.from(text).toString('base64') }
    await writeFile(join(folder, 'event.json'), text)
    await writeFile(join(folder, 'captured.json'), JSON.stringify(captured))
    for (const file of ['event.json', 'captured.json']) {
      expect(await runMain(['send', file, '--to', url], { env, cwd: folder })).toMatchObject({
        code: 0,
      })
    }
    // Bytes that are not an event, with their id in the headers.
    const other = { headers: { 'Feed-Event-Id': 'evt_kept' }, bodyBase64: 'AP8=' }
    await writeFile(join(folder, 'other.json'), JSON.stringify(other))
    for (const [options, eventId] of [
      [[], 'evt_kept'],
      [['--id', 'evt_mine'], 'evt_mine'],
    ] as const) {
      await runMain(['send', 'other.json', '--to', url, ...options], { env, cwd: folder })
      expect(arrivals.at(-1)?.headers['feed-event-id']).toBe(eventId)
      expect(arrivals.pop()?.body).toEqual(Buffer.from([0x00, 0xff]))
    }
    const piped = await runCli(['send', '-', '--to', url, '--id', id], { env, input: text })
    expect(piped).toMatchObject({ code: 0 })
    const bodies = arrivals.map(({ body }) => body.toString())
    expect(bodies).toEqual([text, text, JSON.stringify(fixture('outage_started'))])
  })

  it.each(['send', 'replay'])(
    '%s: warns that it serializes a body captured as an object again',
    async (verb) => {
      const path = join(await makeFolder(), 'captured.json')
      await writeFile(path, JSON.stringify({ headers: {}, body: fixture('outage_started') }))
      const { url } = await serve((response) => response.writeHead(202).end())
      const run = await runMain([verb, path, '--to', url], { env })
      expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('is serialized again') })
    },
  )

  it('advises what to do after each kind of failure', async () => {
    const { url } = await serve((response) => response.writeHead(401).end('{"code":"no"}'))
    const rejected = await runMain(['send', 'outage_started', '--to', url], { env })
    expect(rejected).toMatchObject({ code: 1 })
    expect(rejected.stdout).toContain('401 rejected')
    expect(rejected.stderr).toContain('Something in front of the receiver did not let')

    const nobody = await runMain(['send', 'outage_started', '--to', await closedPort()], { env })
    expect(nobody).toMatchObject({ code: 1 })
    expect(nobody.stdout).toContain('no answer (ECONNREFUSED)')
    expect(nobody.stderr).toContain('Nothing listens there')
  })

  it('makes one attempt, and retries like the service with --retry', async () => {
    const { url, arrivals } = await serve((response, number) => {
      response.writeHead(number < 3 ? 429 : 202, { 'retry-after': '1' }).end()
    })
    expect(await runMain(['send', 'outage_started', '--to', url], { env })).toMatchObject({
      code: 1,
    })
    expect(arrivals).toHaveLength(1)
    const retried = await runMain(['send', 'outage_started', '--to', url, '--retry'], { env })
    expect(retried).toMatchObject({ code: 0 })
    expect(retried.stdout).toMatch(/attempt 1 .*next in 1 s\nattempt 2 .*202/)
  })

  it.each([
    [
      'a type without a fixture',
      ['outage_start', '--to=http://a'],
      2,
      /Did you mean outage_started\?/,
    ],
    [
      'a missing file',
      ['./gone.json', '--to=http://a'],
      2,
      /gone\.json cannot be read: the file does not exist/,
    ],
    ['no destination', ['outage_started'], 2, /needs --to/],
    [
      'a destination that is no URL',
      ['outage_started', '--to', 'nowhere'],
      2,
      /not an http or https/,
    ],
    [
      'a --set without a path',
      ['outage_started', '--to=http://a', '--set', 'x'],
      2,
      /--set must have the form/,
    ],
    [
      'a --set through a missing object',
      ['outage_started', '--to=http://a', '--set', 'a.b=x'],
      2,
      /no object/,
    ],
    ['two operands', ['outage_started', 'more'], 2, /but got 1 more/],
  ])('reports %s in one line', async (_, args, code, message) => {
    const run = await runMain(['send', ...args], { env })
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) })
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('the secret of send', () => {
  const args = ['send', 'outage_started', '--to', 'http://127.0.0.1:9/']

  it('is read from a file and from another variable', async () => {
    const folder = await makeFolder()
    const { url, arrivals } = await serve((response) => response.writeHead(202).end())
    await writeFile(join(folder, 'secret'), `${secret}\n`)
    const from = ['send', 'outage_started', '--to', url]
    const ways = await Promise.all([
      runMain([...from, '--secret-file', join(folder, 'secret')]),
      runMain([...from, '--secret-env', 'OTHER'], { env: { OTHER: secret } }),
    ])
    expect(ways.map(({ code }) => code)).toEqual([0, 0])
    expect(arrivals).toHaveLength(2)
  })

  it('causes a warning on the command line', async () => {
    const run = await runMain([...args, '--secret', secret])
    expect(run.stderr).toContain('stays in your shell history')
  })

  it.each([
    ['is missing', {}, /FEED_SIGNING_SECRET is not set/],
    ['has a space after it', { FEED_SIGNING_SECRET: `${secret} ` }, /white space around it/],
    ['has another form', { FEED_SIGNING_SECRET: 'something-else-entirely' }, /does not begin with/],
  ])('%s: the error says so in one line', async (_, variables, message) => {
    const run = await runMain(args, { env: variables })
    expect(run.code).toBeGreaterThan(0)
    expect(run.stderr).toMatch(message)
    expect(run.stderr + run.stdout).not.toContain('something-else')
  })

  it('is not printed if it is given in the wrong place', async () => {
    for (const wrong of [[secret], ['send', 'outage_started', secret], ['send', secret]]) {
      expect((await runMain(wrong)).code).toBeGreaterThan(0)
    }
  })
})
