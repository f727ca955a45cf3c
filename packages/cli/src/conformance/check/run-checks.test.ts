import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createReceiver, type DeliveryInbox } from '@feed-receiver/core'
import { memoryInbox } from '@feed-receiver/core/testing'
import { fromNode } from '@feed-receiver/core/node'
import { keepRawBody, toExpress } from '@feed-receiver/express'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import type { CheckResult } from './verdict.ts'
import { renderTable } from './render-table.ts'
import { checks, runEach, runChecks } from './run-checks.ts'
import { createTarget } from './target.ts'

const secret = 'feed_whsec_a_secret_of_run_checks_0123456789'
const names = checks.map(({ name }) => name)

// They mostly wait, for receivers that are slow or silent.
describe.concurrent('a run', () => {
  it('does not run checks whose options are missing, and leaves them out of the score', async () => {
    const { report, reported } = (await runTwice()).first
    const notRun = report.results.filter(({ outcome }) => outcome === 'not_run')
    expect(notRun.map(({ name }) => name)).toEqual([
      'stored_once',
      'stored_before_answer',
      'forged_not_stored',
      'key_from_body',
      'rotation',
      'restart',
      'stored_once_after_restart',
    ])
    expect(report.score).toMatchObject({ percent: 100, notRun: 7, blocked: 0 })
    expect(report.hasPassed).toBe(true)
    expect(report.results.map(({ name }) => name)).toEqual(names)
    expect(reported.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
  })

  it('sends test deliveries unless a check needs another type, with ids that begin with check_', async () => {
    const { inbox } = await runTwice()
    const events = [...inbox.entries.values()].map(({ event }) => event)
    expect(events.filter(({ id }) => !id.startsWith('check_'))).toEqual([])
    const runs = new Set(events.map(({ id }) => id.split('_')[1]))
    expect(runs.size).toBe(2)
    for (const run of runs) {
      const sent = events.filter(({ id }) => id.startsWith(`check_${run}_`))
      expect(sent.length).toBeGreaterThan(30)
      const others = sent.filter(({ type }) => type !== 'destination_test')
      expect(others.map(({ type }) => type).toSorted()).toEqual([
        'check_of_an_unknown_type',
        'constructor',
        'release_note',
        'toString',
      ])
    }
  })

  it.each<[string, number, string, string | undefined]>([
    ['a login page', 401, '<html><form action="/login">', 'not_let_in'],
    ['a CSRF filter', 403, 'CSRF token missing', 'not_let_in'],
    ['another error with a code', 401, '{"error":"No session.","code":"no_session"}', 'not_let_in'],
    ['a router', 404, '<h1>Not found</h1>', 'no_route'],
    ['a route for another method', 405, '', 'no_route'],
    ['a receiver of the kit', 401, '{"error":"No match.","code":"signature_mismatch"}', undefined],
  ])('says whether the secret is the cause: %s', async (_, status, body, name) => {
    const { url } = await serve((_request, response) => response.writeHead(status).end(body))
    const report = await runChecks({ url, secret })
    const authentic = report.results.find((result) => result.name === 'authentic')
    expect(authentic).toMatchObject({ outcome: 'failed' })
    expect(authentic?.trap?.name).toBe(name)
  })

  it('reports no secret, signature or body, even if the receiver echoes them', async () => {
    const { url } = await serve((request, response) => {
      const signature = String(request.headers['feed-signature'])
      request.resume().on('end', () => {
        response.writeHead(400, { location: secret })
        response.end(JSON.stringify({ code: secret, error: signature }))
      })
    })
    const withToken = `${url}?token=feed_live_abc`
    const report = await runChecks({ url: withToken, secret, secondSecret: `${secret}_next` })
    const said = JSON.stringify(report) + renderTable(report)
    expect(said).not.toMatch(/feed_whsec_a|v1=[0-9a-f]{8}|schema_version":|feed_live_/)
    expect(report.hasPassed).toBe(false)
  })

  it('stops after the first check if nothing listens', async () => {
    const { url, close } = await serve(() => {})
    await close()
    const { results, score } = await runChecks({ url, secret })
    expect(results[0]).toMatchObject({ name: 'reachable', outcome: 'failed' })
    expect(results[0]?.seen).toContain('ECONNREFUSED')
    expect(score).toMatchObject({ percent: 0, failed: 1, blocked: names.length - 1 })
  })

  it('times out after 12 s without an answer', async () => {
    const { url } = await serve(() => {})
    const { results, score } = await runChecks({ url, secret })
    expect(results[0]?.seen).toBe('no answer within 12 s')
    expect(score).toMatchObject({ failed: 1, blocked: names.length - 1 })
  })

  it('stops after the check authentic if the receiver has another secret', async () => {
    const { url } = await serve(receiving())
    const report = await runChecks({ url, secret: 'feed_whsec_not_the_one' })
    const failed = report.results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ name, seen }) => [name, seen])).toEqual([
      ['authentic', '401 Unauthorized (signature_mismatch), which pauses the feed'],
    ])
    expect(report.results.find(({ name }) => name === 'late')?.blockedBy).toBe('authentic')
  })

  it('starts no check after its deadline, and counts such checks as failed', async () => {
    const { url } = await serve(receiving())
    const report = await runChecks({ url, secret, deadlineMs: -1 })
    expect(report.results.map(({ blockedBy }) => blockedBy)).toEqual(names.map(() => 'deadline'))
    expect(report).toMatchObject({ hasPassed: false, score: { percent: 0 } })
  })

  it('aborts with the reason of its signal while it waits for an answer', async () => {
    const stopping = new AbortController()
    const { url } = await serve(() => stopping.abort(new Error('Enough.')))
    await expect(runChecks({ url, secret, signal: stopping.signal })).rejects.toThrow('Enough.')
  })

  it('rejects with the error of onResult, and aborts deliveries in flight', async () => {
    let brokenOff = 0
    const receive = receiving()
    const { url } = await serve((request, response) => {
      request.on('close', () => (brokenOff += request.complete ? 0 : 1))
      receive(request, response)
    })
    // By then the slow body is in flight.
    const onResult = ({ name }: CheckResult) => {
      if (name === 'keep_alive') throw new Error('The disk is full.')
    }
    await expect(runChecks({ url, secret, onResult })).rejects.toThrow('The disk is full.')
    await expect.poll(() => brokenOff).toBe(1)
  })

  it('rejects URLs other than http and https', async () => {
    for (const url of ['ftp://127.0.0.1/feed', 'no URL']) {
      await expect(runChecks({ url, secret })).rejects.toThrow(TypeError)
    }
  })

  it('reports the error of a restart or a count, and aborts the signal of the restart at its end', async () => {
    const { url } = await serve(receiving())
    let ending: AbortSignal | undefined
    const restart = async (signal: AbortSignal) => {
      ending = signal
      throw new Error('npm run restart ended with 1.')
    }
    const storedCount = () => Promise.reject(new Error('There is no such table.'))
    const { results } = await runChecks({ url, secret, restart, storedCount })
    const seen = new Map(results.map((result) => [result.name, result]))
    expect(seen.get('restart')?.seen).toContain('npm run restart ended with 1.')
    expect(seen.get('stored_once')).toMatchObject({ outcome: 'failed' })
    expect(seen.get('stored_once')?.seen).toContain('There is no such table.')
    expect(ending?.aborted).toBe(true)
  })

  it('names a framework that answers instead of the receiver', async () => {
    const receiver = createReceiver({ secrets: [secret], inbox: memoryInbox() })
    const keeping = express.json({ verify: keepRawBody })
    const app = express().set('env', 'test').post('/feed', keeping, toExpress(receiver))
    const { url } = await serve(app)
    const report = await runChecks({ url, secret })
    const table = renderTable(report)
    expect(table).toContain(`  FAILED  nul: Does not pause the feed over a NUL character
    seen  a raw NUL: 400 Bad Request, which pauses the feed
    who   A body parser of Express answered. It runs before the receiver and rejects bodies that
          it cannot parse, so the receiver never sees them.
`)
    expect(table).toContain(`
    fix   Mount the receiver before express.json() and every other parser.
    see   https://feed-receiver.github.io/feed-receiver/packages/express/
`)
    expect(table + JSON.stringify(report)).not.toContain('SyntaxError')
    expect(report.hasPassed).toBe(false)
    const named = report.results.filter(({ trap }) => trap)
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
})

it('warns of a 429 among fifty concurrent duplicates', async () => {
  const memory = memoryInbox()
  // Slow to store, so that all fifty arrive before the first answer.
  const slow: DeliveryInbox = {
    quarantine: memory.quarantine,
    accept: async (delivery) => (await delay(50), await memory.accept(delivery)),
  }
  const { url } = await serve(receiving(slow, { maxInFlight: 20 }))
  const ending = new AbortController()
  const target = createTarget({ url: new URL(url), secret, signal: ending.signal })
  const only = new Set(['duplicates_at_once'])
  const results = await runEach(target, { deadlineMs: 60_000, onResult: () => {}, only })
  const found = results.find(({ name }) => name === 'duplicates_at_once')
  expect(found).toMatchObject({ outcome: 'warning', seen: expect.stringContaining('× 429') })
  ending.abort()
})

it.concurrent.each([
  ['closes every connection', (request: IncomingMessage) => void request.socket.destroy()],
  ['hangs', () => undefined],
])('runs no further check once the receiver listens but %s', async (_, fail) => {
  const answer = receiving()
  let isBroken = false
  const { url } = await serve((request, response) => {
    isBroken ||= request.headers['feed-signature'] === 't,v1'
    if (isBroken) fail(request)
    else answer(request, response)
  })
  const { results } = await runChecks({ url, secret })
  const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)
  expect(failed).toEqual(['signature_malformed'])
  expect(results.find(({ name }) => name === 'signature_cut')).toMatchObject({
    blockedBy: 'signature_malformed',
  })
})

it.concurrent('runs the other checks if one delivery alone is never answered', async () => {
  const answer = receiving()
  const { url } = await serve((request, response) => {
    if (request.headers['feed-signature'] !== 't,v1') answer(request, response)
  })
  const { results, score } = await runChecks({ url, secret })
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ name, seen }) => [name, seen])).toEqual([
    ['signature_malformed', expect.stringContaining('no answer within 12 s')],
  ])
  expect(score.blocked).toBe(0)
})

describe('every check', () => {
  it('has a unique name, and says why it matters and how to fix it', () => {
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(61)
    for (const check of checks) {
      const { name, title, why, fix } = check
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      expect(title).not.toMatch(/\.$/)
      expect([why, fix].filter((text) => !text.endsWith('.'))).toEqual([])
    }
  })
})

let twoRuns: ReturnType<typeof makeTwoRuns> | undefined

/** Two runs at once against one receiver, for tests that read what they found and sent. */
function runTwice(): ReturnType<typeof makeTwoRuns> {
  twoRuns ??= makeTwoRuns()
  return twoRuns
}

async function makeTwoRuns() {
  const inbox = memoryInbox()
  const { url } = await serve(receiving(inbox))
  const run = async () => {
    const reported: CheckResult[] = []
    const report = await runChecks({ url, secret, onResult: (result) => reported.push(result) })
    return { report, reported }
  }
  const [first] = await Promise.all([run(), run()])
  return { first, inbox }
}

function receiving(
  inbox: DeliveryInbox = memoryInbox(),
  options: { maxInFlight?: number } = {},
): RequestListener {
  const receiver = createReceiver({ secrets: [secret], inbox, ...options })
  const handle = async (...[request, response]: Parameters<RequestListener>) => {
    const { status, headers, body } = await receiver.receive(fromNode(request))
    response.writeHead(status, headers).end(body)
  }
  return (request, response) => void handle(request, response)
}

const closing: (() => Promise<void>)[] = []
afterAll(async () => void (await Promise.all(closing.map((close) => close()))))

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  closing.push(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`, close }
}
