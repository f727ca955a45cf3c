import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/contract/listen.ts'
import { makeFolder } from '../../../test/integration/start-example.ts'
import { eventStore } from '../../../test/contract/wrong-receivers/event-store.ts'
import { makeReceiver } from '../../../test/contract/wrong-receivers/make-receiver.ts'
import { wrongReceivers } from '../../../test/contract/wrong-receivers/wrong-receivers.ts'
import { runCli } from '../test/run-cli.ts'
import { runMain } from '../test/run-main.ts'
import { startApp } from '../test/start-app.ts'
import type { CheckReport } from './check/run-checks.ts'

const secret = 'feed_whsec_checktest0123456789abcdef'
const second = 'feed_whsec_checktest9876543210fedcba'
const env = { FEED_SIGNING_SECRET: secret, NEXT_SECRET: second }

/** An Express app with these handlers on its route, for the time of one test. */
async function serveExpress(...handlers: RequestHandler[]): Promise<string> {
  const app = express().set('env', 'test')
  const { port, close } = await listen(app.post('/feed', ...handlers))
  onTestFinished(close)
  return `http://127.0.0.1:${port}/feed`
}

describe('check', { timeout: 60_000 }, () => {
  it('passes all checks for a receiver of this kit, with every optional check enabled', async () => {
    const app = await startApp({ kind: 'postgres', secret, secrets: [secret, second] })
    const enabling = [...app.databaseArguments, '--second-secret-env', 'NEXT_SECRET']
    const args = ['check', app.url, ...enabling, '--restart-command', 'true']
    const { code, stdout } = await runCli([...args, '--json'], { env })
    const { score, strength, results } = JSON.parse(stdout) as CheckReport
    const bad = results.filter(({ outcome }) => outcome !== 'passed')
    expect(bad).toEqual([])
    expect(score).toMatchObject({ percent: 100, failed: 0, notRun: 0 })
    expect(strength).toMatchObject({ percent: 100, missed: [] })
    expect(code).toBe(0)
  })

  it('counts events in the inbox of DATABASE_URL if there is one', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const [, DATABASE_URL = ''] = app.databaseArguments
    const found = await runMain(['check', app.url], { env: { ...env, DATABASE_URL } })
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.stdout).toContain('ok       stored_once')
    const none = { ...env, DATABASE_URL: 'postgres://127.0.0.1:9/none' }
    const without = await runMain(['check', app.url], { env: none })
    expect(without).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('not run  stored_once'),
      stderr: expect.stringContaining('Stored events are not counted in DATABASE_URL'),
    })
  })

  it('counts events in other tables with --count-sql', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const sql = 'select count(*) from feed_inbox.entry where event_id = $1'
    const counting = [...app.databaseArguments, '--count-sql', sql]
    const { code, stdout } = await runMain(['check', app.url, ...counting], { env })
    expect(stdout).toContain('ok       stored_once')
    expect(stdout).toContain('not run  restart ')
    expect(stdout).toContain('Score: 100 of 100')
    expect(stdout).toContain('It did not run: stored_once_after_restart, restart, rotation.')
    expect(code).toBe(0)
  })

  it('counts events in another store with --count-command', async () => {
    const inbox = memoryInbox()
    const receiver = createReceiver({ secrets: [secret], inbox })
    const url = await serveExpress(toExpress(receiver))
    const counter = express().get('/:id', (request, response) => {
      response.send(String(Number(inbox.entries.has(request.params.id))))
    })
    const { port, close } = await listen(counter)
    onTestFinished(close)
    const script = `fetch('http://127.0.0.1:${port}/' + process.env.FEED_EVENT_ID).then((answer) => answer.text()).then(console.log)`
    const command = `'${process.execPath}' -e "${script}"`
    const { code, stdout } = await runMain(['check', url, '--count-command', command], { env })
    expect(stdout).toContain('ok       stored_once ')
    expect(stdout).toContain('ok       forged_not_stored ')
    expect(code).toBe(0)

    const failing = "echo 'no such table' >&2; exit 3"
    const failed = await runMain(['check', url, '--count-command', failing], { env })
    expect(failed.stdout).toContain('the command exited with 3: no such table')
    expect(failed.code).toBe(1)
    const wordy = await runMain(['check', url, '--count-command', 'echo 1 event'], { env })
    expect(wordy.stdout).toContain('the command must print one whole number and nothing else')
  })

  it('writes reports without secrets', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(toExpress(receiver))
    const folder = await makeFolder()
    const file = (name: string) => join(folder, 'reports', name)
    const files = ['--junit', file('a.xml'), '--sarif', file('a.sarif'), '--badge', file('a.json')]
    const telling = ['--count-command', `echo 'the key is ${secret}' >&2; exit 1`]
    const first = await runMain(['check', url, ...files, ...telling], { env })
    expect(first.code).toBe(1)
    expect(first.stdout).toContain(`${file('a.xml')} is written.`)
    const read = (name: string) => readFile(file(name), 'utf8')
    const written = await Promise.all(['a.xml', 'a.sarif', 'a.json'].map(read))
    for (const text of written) expect(text).not.toContain(secret)
    const [junit = '', sarif = '', badge = ''] = written
    expect(junit).toContain('the command exited with 1: the key is [hidden]')
    expect(sarif).toContain('the command exited with 1: the key is [hidden]')
    expect(JSON.parse(badge)).toMatchObject({ color: 'red', isError: true })

    const again = await runMain(['check', url, ...files, '--force', '--json'], { env })
    expect(again.code).toBe(0)
    const { score, strength, results } = JSON.parse(again.stdout) as CheckReport
    expect(JSON.parse(await read('a.json'))).toEqual({
      schemaVersion: 1,
      label: 'feed-receiver check',
      message: `${score.passed} of ${results.length}, strength ${strength.percent} %`,
      color: 'green',
    })
  })

  it('rejects output files before it sends anything', async () => {
    let requests = 0
    const url = await serveExpress((_, response) => {
      requests += 1
      response.sendStatus(202)
    })
    const folder = await makeFolder()
    const file = join(folder, 'there.xml')
    await writeFile(file, 'mine')
    for (const [args, says] of [
      [['--junit', file], `${file} already exists`],
      [['--sarif', folder, '--force'], `${folder} is a folder`],
      [['--sarif', join(folder, 'a'), '--badge', join(folder, 'a')], 'is given twice'],
      [['--force'], '--force is for --junit, --sarif, --badge <file>'],
      [['--count-command', 'x', '--count-sql', 'x'], '--count-command excludes'],
    ] as const) {
      const { code, stderr } = await runMain(['check', url, ...args], { env })
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    }
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect(requests).toBe(0)
  })

  it('reports a closed port once', async () => {
    const { code, stdout } = await runMain(['check', 'http://127.0.0.1:9/feed'], { env })
    expect(stdout.match(/ECONNREFUSED/g)).toHaveLength(1)
    expect(stdout.match(/Fix the failed check reachable first/g)).toHaveLength(1)
    expect(stdout).toMatch(/Not reached: \d+ checks\. /)
    expect(stdout.split('\n').length).toBeLessThan(20)
    expect(code).toBe(1)
  })

  it('names a mistake of another receiver, the reason and the fix', async () => {
    const { change } = wrongReceivers['rewritten-json']
    const options = { secrets: [secret], store: eventStore() }
    const server = makeReceiver(options, change).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const args = ['check', `http://127.0.0.1:${port}/webhooks/feed`, '--restart-command', 'false']
    const { code, stdout } = await runMain(args, { env })
    expect(stdout).toContain('FAILED   raw_whitespace')
    expect(stdout).toMatch(/why +\S/)
    expect(stdout).toMatch(/fix +\S/)
    expect(stdout).toContain('the command exited with 1')
    expect(code).toBe(1)
  })

  it('names a framework that answers instead of the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const keeping = express.json({ verify: keepRawBody })
    const url = await serveExpress(keeping, toExpress(receiver))
    const { code, stdout } = await runMain(['check', url], { env })
    expect(stdout).toContain(`  FAILED  nul: Does not pause the feed over a NUL character
    seen  a raw NUL: 400 Bad Request, which pauses the feed
    who   A body parser of Express answered. It runs before the receiver and rejects bodies that
          it cannot parse, so the receiver never sees them.
`)
    expect(stdout).toContain(`
    fix   Mount the receiver before express.json() and every other parser.
    see   packages/express/README.md
`)
    expect(stdout).not.toContain('SyntaxError')
    expect(code).toBe(1)

    const { results } = JSON.parse(
      (await runMain(['check', url, '--json'], { env })).stdout,
    ) as CheckReport
    const named = results.filter(({ trap }) => trap)
    expect(named).toContainEqual(
      expect.objectContaining({
        name: 'large_body',
        outcome: 'failed',
        trap: {
          name: 'express_limit',
          who: 'a body parser of Express',
          why: expect.stringContaining('limits the size'),
          fix: expect.stringContaining('Mount the receiver before express.json()'),
          page: 'packages/express/README.md',
        },
      }),
    )
    expect(named.filter(({ outcome }) => outcome === 'passed')).toEqual([])
  })

  it('names a parser that reads the body before the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(express.json(), toExpress(receiver))
    const { code, stdout } = await runMain(['check', url], { env })
    expect(stdout).toContain('seen  503 Service Unavailable (body_already_read)')
    expect(stdout).toMatch(/who +The receiver answered\. A body parser or middleware read the body/)
    expect(stdout).toMatch(/see +docs\/frameworks\/README\.md/)
    expect(code).toBe(1)
  })

  it.each([
    ['an invalid URL', ['check', 'localhost'], 'is not an http or https URL'],
    ['a remote target without --yes', ['check', 'https://feed.example/feed'], 'add --yes'],
    ['an unset variable', ['check', 'http://localhost/', '--second-secret-env', 'NONE'], 'NONE'],
    [
      'a count without a database',
      ['check', 'http://localhost/', '--count-sql', 'x'],
      '--database',
    ],
  ])('rejects %s', async (_, args, says) => {
    const { code, stderr } = await runMain(args, { env: { FEED_SIGNING_SECRET: secret } })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBeGreaterThan(0)
  })
})
