/**
 * How fast retention deletes a million bodies of one kilobyte while the same inbox accepts new
 * events, and how much longer accepting takes meanwhile.
 */
import { Client } from 'pg'
import { figureOf, type Figure } from '../figure.ts'
import { fillInbox } from '../fill-inbox.ts'
import { startWarmPostgres } from '../warm-postgres.ts'
import { startLoadOn, type Load } from '../start-load.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const secret = 'feed_whsec_benchmark_0123456789abcdef'
const schema = 'full_inbox'
const entries = 1_000_000
const batch = 100_000
const warmUps = 4
const usualRounds = 20
const seconds = 0.75
const connections = 8

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startWarmPostgres()
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  const pruner = startBenchProgram('prune-worker.ts', [postgres.url, schema])
  let load: Load | undefined
  try {
    await pruner.nextLine()
    for (let stored = 0; stored < entries; stored += batch) {
      say(`filling: ${stored} of ${entries} entries`)
      await fillInbox(client, schema, { from: stored, count: batch, of: entries })
    }
    await client.query(`vacuum analyze ${schema}.entry, ${schema}.entry_body`)
    await client.query('checkpoint')

    // Not earlier, because the server closes connections that are idle for a minute.
    const args = ['fastify', 'feed-receiver', secret, postgres.url, schema]
    const plan = { connections, seconds, secret, newEvents: schema }
    load = await startLoadOn(startBenchProgram('accept-server.ts', args), plan)
    const { round } = load

    say(
      `${usualRounds} rounds of ${seconds} s at ${connections} connections, then as many as it takes`,
    )
    const p99 = async () => (await round()).latenciesMs.p99
    for (let count = 0; count < warmUps; count += 1) await p99()
    const usual: number[] = []
    for (let count = 0; count < usualRounds; count += 1) usual.push(await p99())

    pruner.send('prune')
    const ended = new AbortController()
    const answer = pruner.nextLine().finally(() => ended.abort())
    const meanwhile: number[] = []
    while (!ended.signal.aborted) meanwhile.push(await p99())
    const { emptied, seconds: took } = JSON.parse(await answer) as {
      emptied: number
      seconds: number
    }
    const usually = figureOf('accept: p99, usually', 'ms', usual)
    return [
      figureOf('prune: bodies emptied while accepting', '/s', [emptied / took], {
        atLeast: 10_000,
      }),
      usually,
      figureOf('accept: p99, while pruning', 'ms', meanwhile),
      figureOf(
        'accept: p99, while pruning to usual',
        '×',
        meanwhile.map((one) => one / usually.median),
        { atMost: 2 },
      ),
    ]
  } finally {
    load?.stop()
    pruner.kill()
    await client.end()
    await postgres.stop()
  }
}
