/**
 * One reader of the `pull` benchmark in its own process: a poller into an inbox, or a loop that
 * only fetches and parses the pages. For each line of input it reads the whole feed, and prints a
 * line of JSON. Arguments: feed-receiver or bare, the address of the feed, an API key, and a PostgreSQL URL
 * for feed-receiver.
 */
import { createInterface } from 'node:readline'
import { createClient, createPoller, type PollInbox } from '@feed-receiver/client'
import { openDatabase } from '@feed-receiver/database'
import { createInbox } from '@feed-receiver/inbox'

export interface PullResult {
  events: number
  seconds: number
  /** The peak resident size in MiB, for each 20,000 events. */
  peaks: number[]
}

const [contender = '', baseUrl = '', apiKey = '', url = ''] = process.argv.slice(2)
const perPeak = 20_000
let rounds = 0
let events = 0
let peaks: number[] = []

for await (const _ of createInterface({ input: process.stdin })) {
  rounds += 1
  events = 0
  peaks = []
  const seconds = contender === 'feed-receiver' ? await backfill() : await fetchAll()
  const result: PullResult = { events, seconds, peaks }
  console.log(JSON.stringify(result))
}
process.exit(0)

async function backfill(): Promise<number> {
  const database = openDatabase(url)
  // A schema for each round, so that every event is new.
  const inbox = createInbox({ database, schema: `pull_${rounds}` })
  await inbox.start()
  const counting: PollInbox = {
    ...inbox,
    async acceptPage(page, progress) {
      const counts = await inbox.acceptPage(page, progress)
      note(counts.stored)
      return counts
    },
  }
  // The served feed has no limit of its own.
  const client = createClient({ baseUrl, apiKey, requestsPerMinute: Infinity })
  const poller = createPoller({ client, inbox: counting })
  const startedAt = performance.now()
  const { outcome } = await poller.poll()
  const seconds = (performance.now() - startedAt) / 1_000
  if (outcome !== 'caught_up') throw new Error(`The poller is ${outcome}.`)
  await inbox.stop()
  await database.close()
  return seconds
}

/** Fetches the head and then page after page, like the poller. */
async function fetchAll(): Promise<number> {
  const startedAt = performance.now()
  let query = 'limit=50'
  for (let hasMore = true; hasMore;) {
    const response = await fetch(`${baseUrl}/v1/events?${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const page = (await response.json()) as FeedPage
    // The events of the head are on later pages again, and count once.
    if (query !== 'limit=50') note(page.data.length)
    query = `limit=200&cursor=${page.nextCursor}`
    hasMore = page.hasMore
  }
  return (performance.now() - startedAt) / 1_000
}

interface FeedPage {
  data: unknown[]
  nextCursor: string
  hasMore: boolean
}

function note(count: number): void {
  const at = Math.floor(events / perPeak)
  events += count
  const mebibytes = process.memoryUsage().rss / 2 ** 20
  peaks[at] = Math.max(peaks[at] ?? 0, mebibytes)
}
