/**
 * Reading the whole feed of a sandbox into an inbox on a real PostgreSQL. Compared with a loop that
 * only fetches and parses the same pages. Also the memory of a long backfill.
 */
import { startWarmPostgres } from '../warm-postgres.ts'
import type { FeedServer } from '../feed-server.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import type { PullResult } from '../pull-worker.ts'
import { startBenchProgram } from '../start-bench-program.ts'
import type { RunningProgram } from '../../support/start-program.ts'

const contenders = ['feed-receiver', 'bare'] as const
const rounds = 5
const perRound = 20_000
const forMemory = 200_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const feed = startBenchProgram('feed-server.ts', [postgres.url])
  const { url, key } = JSON.parse(await feed.nextLine()) as FeedServer
  const start = (contender: string) =>
    startBenchProgram('pull-worker.ts', [contender, url, key, postgres.url])
  const readers = { 'feed-receiver': start('feed-receiver'), bare: start('bare') }
  try {
    await grow(feed, perRound)
    say(`${rounds} rounds of ${perRound} events for each of ${contenders.join(', ')}`)
    const { 'feed-receiver': ours, bare } = await takeTurns(
      contenders,
      { rounds },
      async (contender) => {
        const { events, seconds } = await read(readers[contender], perRound)
        return events / seconds
      },
    )
    say(`${forMemory} events for their memory`)
    await grow(feed, forMemory)
    const { peaks } = await read(readers['feed-receiver'], forMemory)
    const half = peaks.length >> 1
    const halves = [peaks.slice(0, half), peaks.slice(half)]
    return [
      figureOf('pull: feed-receiver', '/s', ours),
      figureOf('pull: bare', '/s', bare),
      figureOf('pull: feed-receiver to bare', '×', ratios(ours, bare), { atLeast: 0.3 }),
      figureOf(`pull: peaks in the first half of ${forMemory}`, 'MiB', halves[0] ?? []),
      figureOf(`pull: peaks in the second half of ${forMemory}`, 'MiB', halves[1] ?? []),
      figureOf(
        'pull: the second half to the first',
        '×',
        ratios(halves[1] ?? [], halves[0] ?? []),
        {
          atMost: 1.1,
        },
      ),
    ]
  } finally {
    for (const { kill } of [...Object.values(readers), feed]) kill()
    await postgres.stop()
  }
}

async function grow(feed: RunningProgram, count: number): Promise<void> {
  feed.send(`grow ${count}`)
  await feed.nextLine()
}

async function read(reader: RunningProgram, expected: number): Promise<PullResult> {
  reader.send('')
  const result = JSON.parse(await reader.nextLine()) as PullResult
  // A few more or less, because the number depends on the history of the feed.
  if (Math.abs(result.events - expected) <= expected / 20) return result
  throw new Error(`${result.events} events were read instead of ${expected}.`)
}
