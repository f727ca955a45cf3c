/**
 * Handling on a real PostgreSQL: the inbox's worker compared with a pg-boss worker with
 * `transactional` and NOTIFY, and with a BullMQ worker whose Redis appends to its file at each write,
 * with the same concurrency and the same single insert in the handler: its rate, the processor time of
 * Node and the servers of data, and the bytes of their logs for an event. Also how soon a lone event
 * reaches its handler after it was accepted.
 */
import { createTestDatabase } from '../../support/postgres.ts'
import { startStore } from '../bench-store.ts'
import { costOf, type Cost } from '../cost-of.ts'
import { figureOf, type Figure } from '../figure.ts'
import { ratios, takeTurns } from '../interleave.ts'
import { runHandlers, type HandleRound } from '../run-handlers.ts'
import { startBenchProgram } from '../start-bench-program.ts'

const contenders = ['feed-receiver', 'pg-boss-notify', 'bullmq-always'] as const
type Contender = (typeof contenders)[number]
type Round = HandleRound & Cost
const rounds = 5
const plan = { jobs: 2_000, lone: 20 }

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const store = await startStore({ hasPostgres: true, redis: 'always' })
  const start = async (contender: Contender) => {
    const { url } = await createTestDatabase({ url: store.databaseUrl })
    return startBenchProgram('handle-worker.ts', [contender, url, store.redisUrl])
  }
  const workers = {
    'feed-receiver': await start('feed-receiver'),
    'pg-boss-notify': await start('pg-boss-notify'),
    'bullmq-always': await start('bullmq-always'),
  }
  try {
    say(`${rounds} rounds of ${plan.jobs} events and ${plan.lone} lone ones for each contender`)
    return compare(
      await takeTurns(contenders, { rounds }, async (contender) => {
        const worker = workers[contender]
        const costs: Cost[] = []
        const round = await runHandlers(worker, plan, async (handle) => {
          costs.push(
            await costOf(store, worker.pid, async () => {
              await handle()
              return plan.jobs
            }),
          )
        })
        const [cost] = costs
        if (!cost) throw new Error('The round has no cost.')
        return { ...round, ...cost }
      }),
    )
  } finally {
    for (const { kill } of Object.values(workers)) kill()
    await store.stop()
  }
}

function compare(measured: Record<Contender, Round[]>): Figure[] {
  const each = (contender: Contender, pick: (round: Round) => number) =>
    measured[contender].map(pick)
  const to = (contender: Contender, pick: (round: Round) => number) =>
    ratios(each('feed-receiver', pick), each(contender, pick))
  const rate = ({ perSecond }: Round) => perSecond
  const toHandler = ({ loneMs }: Round) => loneMs
  const cpu = ({ nodeUs, postgresUs, redisUs }: Round) => nodeUs + postgresUs + redisUs
  const log = ({ logBytes }: Round) => logBytes
  const ratio = (other: string) => `handle: feed-receiver to ${other}`
  const lone = (contender: Contender) => `idle: ${contender}, from accept to handler, p50`
  return [
    ...contenders.flatMap((contender) => [
      figureOf(`handle: ${contender}`, '/s', each(contender, rate)),
      figureOf(`handle: ${contender}, CPU`, 'µs', each(contender, cpu)),
      figureOf(`handle: ${contender}, log`, 'B', each(contender, log)),
    ]),
    figureOf(ratio('pg-boss'), '×', to('pg-boss-notify', rate), { atLeast: 2.5 }),
    figureOf(ratio('BullMQ'), '×', to('bullmq-always', rate), { atLeast: 1 }),
    figureOf(`${ratio('pg-boss')}, CPU`, '×', to('pg-boss-notify', cpu), { atMost: 0.45 }),
    figureOf(`${ratio('pg-boss')}, log`, '×', to('pg-boss-notify', log), { atMost: 2 }),
    figureOf(lone('pg-boss-notify'), 'ms', each('pg-boss-notify', toHandler)),
    figureOf(lone('feed-receiver'), 'ms', each('feed-receiver', toHandler), { atMost: 10 }),
  ]
}
