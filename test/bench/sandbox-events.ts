/**
 * Pages of /v1/events over 100,000 events, from first to last. Each request is charged and
 * committed on a PostgreSQL that flushes to disk. Compared with a bare Fastify route that answers
 * with the same bytes. Also compares a page deep in the feed with the first one.
 */
import { availableParallelism } from 'node:os'
import { startWarmPostgres } from './warm-postgres.ts'
import type { FeedServer } from './feed-server.ts'
import { figureOf, type Figure } from './figure.ts'
import { ratios, takeTurns } from './interleave.ts'
import { startLoad } from './start-load.ts'
import { startBenchProgram } from './start-bench-program.ts'

const events = 100_000
const rounds = 30
const warmUps = 6
const seconds = 0.5
const connections = 64
const deepPage = 1_000
/** As many as fit on a command line. */
const sampled = 200

/** With fewer processors, PostgreSQL has none to itself. The bare route needs no PostgreSQL. */
const goal = availableParallelism() >= 4 ? 0.15 : 0.13

const sides = ['every', 'bare', 'first', 'deep'] as const

export async function measureEvents(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const sandbox = startBenchProgram('feed-server.ts', [postgres.url])
  const bare = startBenchProgram('bare-route-server.ts', [])
  try {
    const feed = JSON.parse(await sandbox.nextLine()) as FeedServer
    say(`events: filling a feed with ${events} events`)
    sandbox.send(`grow ${events}`)
    await sandbox.nextLine()
    const cursors = await walk(feed)
    const port = Number(new URL(feed.url).port)
    const every = sample(cursors)
    const bodies: Record<string, string> = {}
    for (const cursor of every) bodies[cursor] = await readPage(feed, cursor)
    bare.send(JSON.stringify(bodies))
    const barePort = Number(await bare.nextLine())
    const load = (to: number, some: string[]) =>
      startLoad({
        port: to,
        connections,
        seconds,
        raw: some.map((cursor) => toRequest(feed.key, cursor)),
      })
    const loads = {
      every: await load(port, every),
      bare: await load(barePort, every),
      first: await load(port, cursors.slice(0, 1)),
      deep: await load(port, cursors.slice(deepPage - 1, deepPage)),
    }
    const before = await countCharged()
    let answered = 0
    say(`events: ${rounds} rounds of ${seconds} s for each of ${sides.join(', ')}`)
    const rates = await takeTurns(sides, { rounds, warmUps }, async (side) => {
      const { requests, seconds: took } = await loads[side].round()
      if (side !== 'bare') answered += requests
      return requests / took
    })
    for (const { stop } of Object.values(loads)) stop()
    const charged = (await countCharged()) - before
    if (charged !== answered) throw new Error(`${answered} were answered, ${charged} charged.`)
    return [
      figureOf('sandbox: pages of 50 events', '/s', rates.every),
      figureOf('sandbox: a bare route with the same texts', '/s', rates.bare),
      figureOf('sandbox: pages to bare', '×', ratios(rates.every, rates.bare), { atLeast: goal }),
      figureOf('sandbox: page 1', '/s', rates.first),
      figureOf('sandbox: page 1,000', '/s', rates.deep),
      figureOf('sandbox: time of page 1,000 to page 1', '×', ratios(rates.first, rates.deep), {
        atMost: 1.2,
      }),
    ]
  } finally {
    for (const { kill } of [sandbox, bare]) kill()
    await postgres.stop()
  }

  async function countCharged(): Promise<number> {
    sandbox.send('charged')
    return Number(await sandbox.nextLine())
  }
}

function sample(cursors: string[]): string[] {
  const step = Math.ceil(cursors.length / sampled)
  return cursors.filter((_, index) => index % step === 0)
}

function toRequest(key: string, cursor: string): string {
  const line = `GET /v1/events?limit=50&cursor=${cursor} HTTP/1.1`
  return `${line}\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`
}

/** The cursors of the pages, oldest first. */
async function walk(feed: FeedServer): Promise<string[]> {
  const cursors: string[] = []
  for (let cursor: string | undefined, hasMore = true; hasMore;) {
    const page = JSON.parse(await readPage(feed, cursor)) as {
      nextCursor: string
      hasMore: boolean
    }
    ;({ hasMore, nextCursor: cursor } = page)
    if (hasMore) cursors.push(cursor)
  }
  return cursors
}

async function readPage({ url, key }: FeedServer, cursor?: string): Promise<string> {
  const query = cursor === undefined ? '' : `&cursor=${cursor}`
  const headers = { authorization: `Bearer ${key}` }
  return await (await fetch(`${url}/v1/events?limit=50${query}`, { headers })).text()
}
