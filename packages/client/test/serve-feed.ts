import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { AccountEvent, ApiEvent } from '../src/api/index.ts'

export interface FeedRequest {
  path: string
  query: URLSearchParams
  key: string
  /** The body of a request to the MCP endpoint. */
  message?: { id?: unknown }
}

/** Answers one request in place of the feed. */
export type Fault = (response: ServerResponse, request: FeedRequest) => void

export interface ServedFeed {
  baseUrl: string
  requests: FeedRequest[]
  /** The valid keys. */
  keys: Set<string>
  /** Appends an event, or a change of one, at the end of the feed. */
  publish(event: ApiEvent): void
  /** Changes an event in place, so that no cursor leads to it. */
  edit(event: ApiEvent): void
  /** The account's own events, oldest first; null while they are not enabled. */
  accountEvents: AccountEvent[] | null
  contractVersion: string
  /** Requests of this month so far. */
  used: number
  allowance: number
  resetsAt: string
  /** Whether the feed rejects every cursor. */
  isForgetful: boolean
  /** Faults for the next requests, one each. */
  failNext(...faults: Fault[]): void
  /** The fault for every request that `failNext` has none for. */
  alwaysFail: Fault | null
  /** Chooses a fault for each request that has none of the others, or none. */
  meddle: (() => Fault | null) | null
}

export interface ServeFeedOptions {
  /** Whether the first page's cursor means "from here" (tail) or "from the start" (replay). */
  firstCursor?: 'tail' | 'replay'
}

/** A small feed on loopback with the documented answers, for one test. */
export async function serveFeed({
  firstCursor = 'tail',
}: ServeFeedOptions = {}): Promise<ServedFeed> {
  const log: { position: number; event: ApiEvent }[] = []
  const faults: Fault[] = []
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  const feed: ServedFeed = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    keys: new Set(['feed_live_good']),
    publish: (event) => log.push({ position: log.length + 1, event: structuredClone(event) }),
    edit(event) {
      for (const entry of log) if (entry.event.id === event.id) entry.event = event
    },
    accountEvents: null,
    contractVersion: 'account-events/2026-08-20.v1',
    used: 0,
    allowance: 100_000,
    resetsAt: '2027-01-01T00:00:00Z',
    isForgetful: false,
    failNext: (...next) => faults.push(...next),
    alwaysFail: null,
    meddle: null,
  }
  return feed

  function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname: path, searchParams: query } = new URL(url, feed.baseUrl)
    const key = headers.authorization?.replace(/^Bearer /, '') ?? ''
    const request = { path, query, key }
    feed.requests.push(request)
    const fault = faults.shift() ?? feed.alwaysFail ?? feed.meddle?.()
    if (fault) return fault(response, request)
    if (!feed.keys.has(key)) return sendError(response, 401, 'unauthorized')
    feed.used += 1
    if (path === '/v1/events') return answerEvents(response, query)
    if (path.startsWith('/v1/account-events')) return answerAccountEvents(response, path, query)
    return sendError(response, 404, 'not_found')
  }

  function answerEvents(response: ServerResponse, query: URLSearchParams): void {
    const limit = Number(query.get('limit') ?? 50)
    const cursor = query.get('cursor')
    const events = newestOfEach().filter(({ event }) => isWanted(event, query))
    if (cursor === null) {
      const head = events.toReversed().slice(0, limit)
      const position = firstCursor === 'tail' ? log.length : 0
      return sendPage(response, head, { position, hasMore: position === 0 && log.length > 0 })
    }
    const after = readCursor(cursor)
    if (after === undefined || feed.isForgetful) return sendError(response, 400, 'invalid_request')
    const behind = events.filter(({ position }) => position > after)
    const page = behind.slice(0, limit)
    const hasMore = behind.length > page.length
    sendPage(response, page, { position: page.at(-1)?.position ?? after, hasMore })
  }

  function newestOfEach() {
    const positions = new Map(log.map(({ event, position }) => [event.id, position]))
    return log.filter(({ event, position }) => positions.get(event.id) === position)
  }

  function sendPage(
    response: ServerResponse,
    entries: { event: ApiEvent }[],
    { position, hasMore }: { position: number; hasMore: boolean },
  ): void {
    const data = entries.map(({ event }) => event)
    sendJson(response, { data, nextCursor: writeCursor(position), hasMore, usage: usage() })
  }

  function answerAccountEvents(
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): void {
    const all = feed.accountEvents?.toReversed()
    if (!all) return sendError(response, 404, 'not_found')
    const { contractVersion } = feed
    const [, ref] = /^\/v1\/account-events\/(.+)$/.exec(path) ?? []
    if (ref !== undefined) {
      const event = all.find(({ eventRef }) => eventRef === ref)
      if (!event) return sendError(response, 404, 'not_found')
      const single = contractVersion.replace('events', 'event')
      return sendJson(response, { contractVersion: single, event, usage: usage() })
    }
    const types = query.getAll('type')
    const wanted = all.filter(({ type }) => types.length === 0 || types.includes(type))
    const start = readCursor(query.get('cursor') ?? writeCursor(0)) ?? 0
    const end = start + Number(query.get('limit') ?? 50)
    const hasMore = end < wanted.length
    const nextCursor = hasMore ? writeCursor(end) : null
    const data = wanted.slice(start, end)
    sendJson(response, { contractVersion, data, nextCursor, hasMore, usage: usage() })
  }

  function usage() {
    const { used: requests, allowance: limit, resetsAt } = feed
    return { requests, limit, period: resetsAt.slice(0, 7), resetsAt }
  }

  function sendJson(response: ServerResponse, body: object): void {
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'x-ratelimit-limit': feed.allowance,
        'x-ratelimit-remaining': feed.allowance - feed.used,
        'x-ratelimit-reset': feed.resetsAt,
        'x-ratelimit-burst-limit': 120,
        'x-ratelimit-burst-remaining': 119,
        'x-ratelimit-burst-reset': '2026-12-01T00:01:00Z',
      })
      .end(JSON.stringify(body))
  }
}

function isWanted(event: ApiEvent, query: URLSearchParams): boolean {
  const [provider, type] = [query.get('provider'), query.get('type')]
  return (
    (provider === null || provider === event.providerSlug) &&
    (type === null || type === event.eventType || event.eventType.startsWith(`${type}_`)) &&
    (query.get('confirmation') === 'all' || event.confirmationState === 'confirmed')
  )
}

function writeCursor(position: number): string {
  return Buffer.from(`position ${position}`).toString('base64url')
}

function readCursor(cursor: string): number | undefined {
  const [, position] = /^position (\d+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return position === undefined ? undefined : Number(position)
}

/** Answers with an error of the API. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify({ error: 'Something for people.', code })
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** A 429 of one of the two limits. */
export function limited(scope: string, retryAfter: string | number): Fault {
  return (response) =>
    sendError(response, 429, 'rate_limited', {
      'retry-after': String(retryAfter),
      'x-ratelimit-scope': scope,
      'x-ratelimit-limit': '100000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '2027-01-01T00:00:00Z',
    })
}

/** Transient failures of a request. */
export const passingFaults: Record<string, Fault> = {
  'a 500': (response) => sendError(response, 500, 'internal_error'),
  'a 503 of a proxy': (response) => response.writeHead(503).end('<html>busy</html>'),
  'a maintenance page': (response) => response.writeHead(200).end('<html>back soon</html>'),
  'a body cut short': (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"data":[')
    setImmediate(() => response.destroy())
  },
  'half a document': (response) => response.writeHead(200).end('{"data":[{"id":"evt_1"'),
  'a reset': (response) => response.destroy(),
}
