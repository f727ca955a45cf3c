import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { toExpress } from '@feed-receiver/express'
import { openDatabase, type Database } from '@feed-receiver/database'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { deliveryOf } from '../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../test/contract/harness.ts'
import { closedPort } from '../../sender/test/serve.ts'
import type { RunOptions } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { lockFolder, startApp, useApp } from '../test/start-app.ts'
import type { Finding } from './doctor/finding.ts'

const secret = 'feed_whsec_doctortest0123456789abcdef'
const env = { FEED_SIGNING_SECRET: secret }

/** The verdicts and texts of doctor, by the name of the check. */
async function examine(args: string[], options: RunOptions = { env }) {
  const { code, stdout } = await runMain(['doctor', '--json', ...args], options)
  const { findings } = JSON.parse(stdout) as { findings: Finding[] }
  const verdicts = Object.fromEntries(findings.map(({ check, verdict }) => [check, verdict]))
  const texts = Object.fromEntries(
    findings.map(({ check, says, fix }) => [check, `${says} ${fix}`]),
  )
  return { code, verdicts, texts }
}

async function countEntries(database: Database): Promise<{ count: number }> {
  const { rows } = await database.query<{ count: number }>(
    'select count(*) as count from feed_inbox.entry',
  )
  return rows[0] ?? { count: -1 }
}

/** A new folder, so that doctor finds no database and no secret by chance. */
async function elsewhere(): Promise<RunOptions> {
  return { env, cwd: await makeFolder() }
}

/** Serves an Express route with these handlers during one test. */
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
  it('reports a pause instead of waiting for a worker', async () => {
    const app = await startApp({ kind: 'postgres', secret, handlers: { '*': () => undefined } })
    await app.inbox.pause({ reason: 'the pager is down', by: 'ada' })
    const found = await examine(['--url', app.url, ...app.databaseArguments])
    expect(found).toMatchObject({ code: 0, verdicts: { pauses: 'warning', worker: 'skipped' } })
    expect(found.texts['pauses']).toMatch(/since .* by ada: the pager is down\. .*inbox resume/)
  })

  it('finds no problem in a complete installation', async () => {
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
      // The servers of the tests run without fsync.
      server: 'warning',
      'database clock': 'ok',
      storing: 'ok',
      queue: 'ok',
      'dead entries': 'ok',
      quarantine: 'ok',
      worker: 'ok',
    })
  })

  it('warns of rejections since the last accepted delivery, which may have paused the feed', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    app.inbox.answered({ reason: 'signature_mismatch', status: 401, notes: [], durationMs: 1 })
    await expect.poll(async () => (await app.inbox.rejections()).length).toBe(1)
    const found = await examine(app.databaseArguments)
    expect(found).toMatchObject({ code: 0, verdicts: { rejections: 'warning' } })
    expect(found.texts['rejections']).toMatch(/signature_mismatch \(401\): 1\. .*inbox rejections/)
    // Its own tests show nothing of the service, which may have paused the feed.
    await examine(['--url', app.url, ...app.databaseArguments])
    const again = await examine(app.databaseArguments)
    expect(again).toMatchObject({ verdicts: { rejections: 'warning' } })
    await app.inbox.accept(deliveryOf(makeEvent()))
    expect(await examine(app.databaseArguments)).toMatchObject({ verdicts: { rejections: 'ok' } })
  })

  it('prints a line per check, with the fix below', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const run = await runMain(['doctor', ...app.databaseArguments], { env })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/^ok {7}secret {10}The secret has the form/)
    expect(run.stdout).toMatch(
      /\nskipped {2}receiver .*\n {25}Set the address of the receiver with --url\./,
    )
  })

  it('tries to store an event, and explains the error of the database', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    await using database = openDatabase(app.database)
    await database.query('alter table feed_inbox.entry add constraint none check (id < 0)')
    await database.query('alter table feed_inbox.quarantine rename column state to status')
    const { code, verdicts, texts } = await examine(app.databaseArguments)
    expect({ code, verdicts }).toMatchObject({
      code: 1,
      verdicts: { database: 'ok', storing: 'failed', 'side unreadable': 'warning' },
    })
    expect(texts['storing']).toMatch(/A constraint of a table rejects the row .*23514\)\. Undo/)
    expect(texts['side unreadable']).toMatch(
      /^The quarantine could not be read.*A column is missing/,
    )
    const { count } = await countEntries(database)
    expect(count).toBe(0)
  })

  it('explains why the inbox does not open', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    await using database = openDatabase(app.database)
    await database.query('alter table feed_inbox.entry rename column notes to noted')
    const { code, verdicts, texts } = await examine(app.databaseArguments)
    expect({ code, verdicts }).toMatchObject({ code: 1, verdicts: { database: 'failed' } })
    expect(texts['database']).toMatch(/feed_inbox.*column "notes".*does not exist/)
  })

  it('detects that the app uses another database', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const other = await startApp({ kind: 'postgres', secret })
    const { code, texts } = await examine(['--url', app.url, ...other.databaseArguments])
    expect({ code, worker: texts['worker'] }).toEqual({
      code: 1,
      worker: expect.stringContaining('the app uses another one'),
    })
  })

  it('detects missing tables and a missing secret', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const args = ['--schema', 'other', ...app.databaseArguments]
    const { code, verdicts, texts } = await examine(args, { ...(await elsewhere()), env: {} })
    expect(code).toBe(1)
    expect(verdicts).toMatchObject({ secret: 'failed', database: 'failed' })
    expect(texts['database']).toContain('no inbox in the schema other. Start the app once')
  })
})

// Each waits for ten seconds: for a worker, for the lock, or for rejections to be written.
describe.concurrent('doctor, after waiting,', () => {
  const idle = useApp({ kind: 'postgres', secret })
  const working = useApp({ kind: 'postgres', secret, handlers: { '*': () => undefined } })

  it('detects a missing worker', async () => {
    const { url, databaseArguments } = idle()
    const { code, verdicts } = await examine(['--url', url, ...databaseArguments])
    expect({ code, worker: verdicts['worker'] }).toEqual({ code: 1, worker: 'failed' })
  })

  it('skips a locked embedded database, and still checks the receiver', async (test) => {
    const { folder } = await lockFolder(test)
    const { code, verdicts, texts } = await examine(['--url', idle().url, '--database', folder])
    expect(code).toBe(0)
    expect(verdicts).toMatchObject({ answer: 'ok', database: 'skipped' })
    expect(texts['database']).toContain(`the embedded database in ${folder} open since`)
  })

  it('does not affect the health of the inbox, and reports an earlier rejection', async () => {
    const { url, inbox, databaseArguments } = working()
    const rejections = async () => {
      const { code, verdicts, texts } = await examine(['--url', url, ...databaseArguments])
      const failed = Object.keys(verdicts).filter((name) => verdicts[name] === 'failed')
      return { code, failed, verdict: verdicts['rejections'], text: texts['rejections'] }
    }
    expect(await rejections()).toMatchObject({ code: 0, failed: [], verdict: 'ok' })
    expect((await inbox.health()).warnings).toEqual([])
    inbox.answered({ notes: [], reason: 'blocked' as 'store_failed', status: 403, durationMs: 1 })
    await expect
      .poll(async () => (await inbox.health()).warnings, { timeout: 15_000 })
      .toMatchObject([{ code: 'deliveries_rejected' }])
    // Those of its own tests are not counted.
    expect(await inbox.rejections()).toMatchObject([{ reason: 'other', count: 1 }])
    expect(await rejections()).toMatchObject({
      code: 1,
      verdict: 'failed',
      text: expect.stringMatching(/probably paused.*403 \(other\).*inbox rejections/),
    })
  })
})

describe('doctor, with a faulty receiver', () => {
  it.each<[string, () => Promise<string>, Record<string, string>, RegExp]>([
    [
      'a parser that runs before it',
      () => {
        const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
        return serveExpress(express.json(), toExpress(receiver))
      },
      { answer: 'failed' },
      /keepRawBody/,
    ],
    [
      'another secret',
      () => {
        const receiver = createReceiver({ secrets: ['feed_whsec_other'], inbox: memoryInbox() })
        return serveExpress(toExpress(receiver))
      },
      { answer: 'failed' },
      /pauses the destination.*current signing secret/,
    ],
    [
      'a signature check over serialized JSON',
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
      'no signature check',
      () => serveExpress((_, response) => void response.status(204).end()),
      { answer: 'ok', 'raw bytes': 'ok', forgeries: 'failed', 'late ones': 'failed' },
      /anybody can post/,
    ],
    [
      'a closed connection instead of a rejection',
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
      /The app did not answer a delivery signed with another secret \(/,
    ],
    [
      'a login page in front of it',
      () => serveExpress((_, response) => void response.status(401).send('<h1>Log in</h1>')),
      { answer: 'failed' },
      /pauses the destination\. Something in front of the receiver did not let the request in/,
    ],
    [
      'it redirects',
      () => serveExpress((_, response) => response.redirect(308, '/elsewhere')),
      { answer: 'failed' },
      /does not follow redirects/,
    ],
    ['nobody is there', closedPort, { answer: 'failed' }, /Nothing listens there/],
  ])('finds that %s', async (_, serve, expected, fix) => {
    const { code, verdicts, texts } = await examine(['--url', await serve()], await elsewhere())
    expect(code).toBe(1)
    expect(verdicts).toMatchObject({ ...expected, database: 'skipped' })
    expect(Object.values(texts).join('\n')).toMatch(fix)
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
      /^A signed test delivery was answered with 503\. The receiver answered\. .* See https:\S+\/feed-receiver\/frameworks\/$/,
    ],
    [
      'a login comes first',
      [(_, response) => response.redirect('/login?token=s3cret')],
      'answer',
      'login_redirect',
      /^A signed test delivery was answered with 302\. A login page answered\. .* See https:\S+\/feed-receiver\/frameworks\/$/,
    ],
    [
      'no route is there',
      [(_request, _response, next) => next('route')],
      'answer',
      'express_no_route',
      /was answered with 404, which pauses the destination\. Express answered\. It has no route/,
    ],
  ])('says who answered, where %s', async (_, handlers, name, trap, says) => {
    const url = await serveExpress(...handlers)
    const { stdout } = await runMain(['doctor', '--json', '--url', url], await elsewhere())
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    const finding = findings.find(({ check }) => check === name)
    expect(finding).toMatchObject({ verdict: 'failed', trap: { name: trap } })
    expect(`${finding?.says} ${finding?.fix}`).toMatch(says)
    expect(findings.filter((one) => one !== finding && one.trap)).toEqual([])
    expect(stdout).not.toContain('s3cret')
  })

  it('rejects an invalid URL', async () => {
    const run = await runMain(['doctor', '--url', 'localhost:3000'], { env })
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not an http or https URL'),
    })
  })
})
