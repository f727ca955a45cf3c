import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../../test/e2e/start-example.ts'
import { closedPort } from '../../sender/test/serve.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { holdFolder, startApp } from '../test/start-app.ts'
import type { Finding } from './doctor/finding.ts'

const secret = 'feed_whsec_doctortest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }

/** What doctor finds, by the name of the check: its verdict, and its text. */
async function examine(
  args: string[],
  options: { env?: Record<string, string> } = { env },
  run = runMain,
) {
  // Where no app has ever run, so that no database is found by chance.
  const cwd = await makeFolder()
  const { code, stdout } = await run(['doctor', '--json', ...args], { cwd, ...options })
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const verdicts = Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]))
  const texts = Object.fromEntries(
    findings.map(({ check, says, fix }) => [check, `${says} ${fix}`]),
  )
  return { code, verdicts, texts }
}

/** An Express app with these handlers on its route, for the time of one test. */
async function serveExpress(...handlers: RequestHandler[]): Promise<string> {
  const server = express()
    .post('/feed', ...handlers)
    .listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`
}

describe('doctor', () => {
  it('tells of a pause instead of waiting for a worker', async () => {
    const app = await startApp({ kind: 'postgres', secret, handlers: { '*': () => undefined } })
    await app.inbox.pause({ reason: 'the pager is down', by: 'ada' })
    const found = await examine(['--url', app.url, ...app.databaseArguments])
    expect(found).toMatchObject({ code: 0, verdicts: { pauses: 'warning', worker: 'skipped' } })
    expect(found.texts['pauses']).toMatch(/since .* by ada: the pager is down\. .*inbox resume/)
  })

  it('finds a whole installation well', async () => {
    const app = await startApp({ kind: 'postgres', secret, handlers: { '*': () => undefined } })
    const found = await examine(['--url', app.url, ...app.databaseArguments])
    expect(found).toMatchObject({ code: 0 })
    expect(found.verdicts).toEqual({
      secret: 'ok',
      rejections: 'ok',
      address: 'warning',
      answer: 'ok',
      latency: expect.stringMatching(/ok|warning/),
      'raw bytes': 'ok',
      duplicates: 'ok',
      forgeries: 'ok',
      'late ones': 'ok',
      'app clock': 'ok',
      database: 'ok',
      'database clock': 'ok',
      queue: 'ok',
      'dead entries': 'ok',
      quarantine: 'ok',
      alerts: 'ok',
      worker: 'ok',
    })
  })

  it('prints a line for each, and what to do below', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const run = await runCli(['doctor', ...app.databaseArguments], { env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/^ok {7}secret {10}It has the shape/)
    expect(run.stdout).toMatch(/\nskipped {2}receiver .*\n {25}Give its address with --url\./)
  })

  it('leaves the health of the inbox as it was, and finds an earlier rejection first', async () => {
    const app = await startApp({ kind: 'postgres', secret, handlers: { '*': () => undefined } })
    const rejections = async () => {
      const { code, verdicts, texts } = await examine(['--url', app.url, ...app.databaseArguments])
      return { code, verdict: verdicts['rejections'], text: texts['rejections'] }
    }
    expect(await rejections()).toMatchObject({ code: 0, verdict: 'ok' })
    await expect.poll(() => app.inbox.refusals(), { timeout: 15_000 }).toHaveLength(2)
    expect((await app.inbox.health()).warnings).toEqual([])
    await fetch(app.url, { method: 'POST', body: '{}' })
    await expect
      .poll(async () => (await app.inbox.health()).warnings, { timeout: 15_000 })
      .toMatchObject([{ code: 'deliveries_rejected' }])
    expect(await rejections()).toMatchObject({
      code: 1,
      verdict: 'failed',
      text: expect.stringMatching(/probably paused.*401 \(signature_missing\).*inbox refusals/),
    })
  }, 30_000)

  it('finds that no worker works', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const { code, verdicts } = await examine(['--url', app.url, ...app.databaseArguments])
    expect({ code, worker: verdicts['worker'] }).toEqual({ code: 1, worker: 'failed' })
  })

  it('finds that the app stores in another database', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const other = await startApp({ kind: 'postgres', secret })
    const { code, texts } = await examine(['--url', app.url, ...other.databaseArguments])
    expect({ code, worker: texts['worker'] }).toEqual({
      code: 1,
      worker: expect.stringContaining('stores in another one'),
    })
  })

  it('looks at the embedded database of a running app', async () => {
    const app = await startApp({ kind: 'pglite', secret })
    const args = ['--url', app.url, ...app.databaseArguments]
    const { verdicts } = await examine(args, { env }, runCli)
    expect(verdicts).toMatchObject({ answer: 'ok', database: 'ok' })
  })

  it('says who holds an embedded database, and looks at the receiver nevertheless', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const { folder } = await holdFolder()
    const args = ['--url', app.url, '--database', folder]
    const { code, verdicts, texts } = await examine(args, { env }, runCli)
    expect(code).toBe(0)
    expect(verdicts).toMatchObject({ answer: 'ok', database: 'skipped' })
    expect(texts['database']).toContain('is in use by process')
  })

  it('finds that the tables are missing, and the secret', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const args = ['--schema', 'other', ...app.databaseArguments]
    const { code, verdicts, texts } = await examine(args, { env: {} })
    expect(code).toBe(1)
    expect(verdicts).toMatchObject({ secret: 'failed', database: 'failed' })
    expect(texts['database']).toContain('no inbox in the schema other. Start the app once')
  })
})

describe('doctor, at a receiver that is not well', () => {
  it.each<[string, () => Promise<string>, Record<string, string>, RegExp]>([
    [
      'a parser comes before it',
      () => {
        const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
        return serveExpress(express.json(), toExpress(receiver))
      },
      { answer: 'failed' },
      /keepRawBody/,
    ],
    [
      'it has another secret',
      () => {
        const receiver = createReceiver({ secrets: ['feed_whsec_other'], inbox: memoryInbox() })
        return serveExpress(toExpress(receiver))
      },
      { answer: 'failed' },
      /pauses the destination.*another secret/,
    ],
    [
      'it checks JSON that was written again',
      () =>
        serveExpress(express.json(), ({ body, headers }, response) => {
          const [, t = '', v1 = ''] =
            /t=(\d+),v1=(\w+)/.exec(String(headers['feed-signature'])) ?? []
          const text = `${t}.${JSON.stringify(body)}`
          const isOurs = createHmac('sha256', secret).update(text).digest('hex') === v1
          response.status(isOurs ? 200 : 401).end()
        }),
      { answer: 'ok', 'raw bytes': 'failed', forgeries: 'ok', 'late ones': 'failed' },
      /before any body parser/,
    ],
    [
      'it checks nothing',
      () => serveExpress((_, response) => void response.status(204).end()),
      { answer: 'ok', 'raw bytes': 'ok', forgeries: 'failed', 'late ones': 'failed' },
      /anybody can post/,
    ],
    [
      'it hangs up on what it refuses',
      () =>
        serveExpress(express.raw({ type: '*/*' }), ({ body, headers, socket }, response) => {
          const [, t = '', v1 = ''] =
            /t=(\d+),v1=(\w+)/.exec(String(headers['feed-signature'])) ?? []
          const hmac = createHmac('sha256', secret)
            .update(`${t}.`)
            .update(body as Buffer)
          const isOurs = hmac.digest('hex') === v1 && Number(t) > Date.now() / 1000 - 300
          if (isOurs) response.status(200).end()
          else socket.destroy()
        }),
      { answer: 'ok', 'raw bytes': 'ok', forgeries: 'failed', 'late ones': 'failed' },
      /another secret got no answer \(/,
    ],
    [
      'it redirects',
      () => serveExpress((_, response) => response.redirect(308, '/elsewhere')),
      { answer: 'failed' },
      /follows no redirect/,
    ],
    ['nobody is there', closedPort, { answer: 'failed' }, /Nothing listens there/],
  ])('finds that %s', async (_, serve, expected, advice) => {
    const { code, verdicts, texts } = await examine(['--url', await serve()])
    expect(code).toBe(1)
    expect(verdicts).toMatchObject({ ...expected, database: 'skipped' })
    expect(Object.values(texts).join('\n')).toMatch(advice)
  })

  it.each<[string, RequestHandler[], string, string, RegExp]>([
    [
      'a parser has read the body',
      [
        express.json(),
        toExpress(createReceiver({ secrets: [secret], inbox: memoryInbox(), observe: () => {} })),
      ],
      'answer',
      'receiver_after_parser',
      /^A signed test delivery is answered 503\. The receiver answered\. .* See docs\/frameworks/,
    ],
    [
      'a login comes first',
      [(_, response) => response.redirect('/login?token=s3cret')],
      'answer',
      'login_redirect',
      /^A signed test delivery is answered 302\. A login page answered\. .* See docs\/frameworks/,
    ],
    [
      'no route is there',
      [(_request, _response, next) => next('route')],
      'answer',
      'express_no_route',
      /is answered 404, which pauses the destination\. Express answered\. It has no route/,
    ],
  ])('says who answered, where %s', async (_, handlers, name, trap, says) => {
    const cwd = await makeFolder()
    const url = await serveExpress(...handlers)
    const { stdout } = await runMain(['doctor', '--json', '--url', url], { cwd, env })
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    const finding = findings.find(({ check }) => check === name)
    expect(finding).toMatchObject({ verdict: 'failed', trap: { name: trap } })
    expect(`${finding?.says} ${finding?.fix}`).toMatch(says)
    expect(findings.filter((one) => one !== finding && one.trap)).toEqual([])
    expect(stdout).not.toContain('s3cret')
  })

  it('refuses an address that is none', async () => {
    const run = await runMain(['doctor', '--url', 'localhost:3000'], { env })
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('no http or https URL') })
  })
})
