/**
 * The transactions a second of a worker on a quiet inbox, as PostgreSQL counts them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { createInbox } from '@feed-receiver/inbox'
import { startPostgres } from '../../support/postgres.ts'
import { figureOf, type Figure } from '../figure.ts'

const rounds = 3
const roundMs = 20_000
/** Until a worker has done what follows a start. */
const settleMs = 15_000

export async function measure(say: (line: string) => void): Promise<Figure[]> {
  const postgres = await startPostgres()
  const client = new Client({ connectionString: postgres.url })
  const inbox = createInbox({ database: postgres.url })
  try {
    await client.connect()
    await inbox.start()
    await inbox.work({})
    say(`${rounds} rounds of ${roundMs / 1_000} s, after ${settleMs / 1_000} s`)
    await delay(settleMs)
    const rates: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const before = await countTransactions()
      await delay(roundMs)
      rates.push(((await countTransactions()) - before - 1) / (roundMs / 1_000))
    }
    return [figureOf('idle: transactions', '/s', rates, { atMost: 0.2 })]
  } finally {
    await inbox.stop()
    await client.end()
    await postgres.stop()
  }

  /** Counts its own, too. */
  async function countTransactions(): Promise<number> {
    const { rows } = await client.query(
      `select (xact_commit + xact_rollback)::integer as count from pg_stat_database
       where datname = current_database()`,
    )
    return rows[0].count
  }
}
