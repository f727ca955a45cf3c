import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createReceiver } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen } from '../../../test/contract/listen.ts'
import { eventStore } from '../../../test/wrong-receivers/event-store.ts'
import { makeReceiver } from '../../../test/wrong-receivers/make-receiver.ts'
import { wrongReceivers } from '../../../test/wrong-receivers/wrong-receivers.ts'
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
  it('finds nothing wrong with our own receiver, whatever it is asked to look into', async () => {
    const app = await startApp({ kind: 'postgres', secret, secrets: [secret, second] })
    const enabling = [...app.databaseArguments, '--second-secret-env', 'NEXT_SECRET']
    const args = ['check', app.url, ...enabling, '--restart-command', 'true']
    const { code, stdout } = await runCli([...args, '--json'], { env })
    const { score, results } = JSON.parse(stdout) as CheckReport
    const bad = results.filter(({ outcome }) => outcome !== 'passed')
    expect(bad).toEqual([])
    expect(score).toMatchObject({ percent: 100, failed: 0, notRun: 0 })
    expect(code).toBe(0)
  })

  it('counts in the inbox of DATABASE_URL, if it has one', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const [, DATABASE_URL = ''] = app.databaseArguments
    const found = await runMain(['check', app.url], { env: { ...env, DATABASE_URL } })
    expect(found).toMatchObject({ code: 0, stderr: '' })
    expect(found.stdout).toContain('ok       stored_once')
    const none = { ...env, DATABASE_URL: 'postgres://127.0.0.1:9/none' }
    const without = await runMain(['check', app.url], { env: none })
    expect(without.stdout).toContain('not run  stored_once')
    expect(without.stderr).toContain('Nothing is counted in DATABASE_URL')
    expect(without.code).toBe(0)
  })

  it('counts in tables of its own where it is told how', async () => {
    const app = await startApp({ kind: 'postgres', secret })
    const sql = 'select count(*) from feed_inbox.entry where event_id = $1'
    const counting = [...app.databaseArguments, '--count-sql', sql]
    const { code, stdout } = await runMain(['check', app.url, ...counting], { env })
    expect(stdout).toContain('ok       stored_once')
    expect(stdout).toContain('not run  restart ')
    expect(stdout).toContain('Score: 100 of 100')
    expect(code).toBe(0)
  })

  it('says once that nothing listens', async () => {
    const { code, stdout } = await runMain(['check', 'http://127.0.0.1:9/feed'], { env })
    expect(stdout.match(/ECONNREFUSED/g)).toHaveLength(1)
    expect(stdout.match(/Nothing can be learnt before/g)).toHaveLength(1)
    expect(stdout).toMatch(/Not reached: \d+ checks\. /)
    expect(stdout.split('\n').length).toBeLessThan(20)
    expect(code).toBe(1)
  })

  it('names what is wrong with another, why, and how to mend it', async () => {
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
    expect(stdout).toContain('the command ended with 1')
    expect(code).toBe(1)
  })

  it('names a framework that answers in place of the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const keeping = express.json({ verify: keepRawBody })
    const url = await serveExpress(keeping, toExpress(receiver))
    const { code, stdout } = await runMain(['check', url], { env })
    expect(stdout).toContain(`  FAILED  nul: Does not pause the feed over a NUL
    seen  a raw NUL: 400 Bad Request, which pauses the feed
    who   A body parser of Express answered. It comes before the receiver and answers bodies that
          it cannot read, so the receiver never sees them.
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
          why: expect.stringContaining('its own limit'),
          fix: expect.stringContaining('Mount the receiver before express.json()'),
          page: 'packages/express/README.md',
        },
      }),
    )
    expect(named.filter(({ outcome }) => outcome === 'passed')).toEqual([])
  })

  it('names a parser that has read the body before the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const url = await serveExpress(express.json(), toExpress(receiver))
    const { code, stdout } = await runMain(['check', url], { env })
    expect(stdout).toContain('seen  503 Service Unavailable (body_already_read)')
    expect(stdout).toMatch(/who +The receiver answered\. A body parser or middleware read the body/)
    expect(stdout).toMatch(/see +docs\/frameworks\/README\.md/)
    expect(code).toBe(1)
  })

  it.each([
    ['no URL', ['check', 'localhost'], 'is no http or https URL'],
    ['a target elsewhere', ['check', 'https://feed.example/feed'], 'add --yes'],
    ['no such variable', ['check', 'http://localhost/', '--second-secret-env', 'NONE'], 'NONE'],
    [
      'a count without a database',
      ['check', 'http://localhost/', '--count-sql', 'x'],
      '--database',
    ],
  ])('refuses %s', async (_, args, says) => {
    const { code, stderr } = await runMain(args, { env: { FEED_SIGNING_SECRET: secret } })
    expect(stderr).toContain(says)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBeGreaterThan(0)
  })
})
