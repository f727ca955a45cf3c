/**
 * One worker of the `handle` benchmark in its own process, whose handler inserts one row. Each line
 * of input starts a round: it queues work, handles it, and prints how long each took in ms, as a
 * JSON line. Then it measures how long a lone event takes from accept to its handler. Arguments:
 * ours (the inbox) or bare (pg-boss with `transactional`), and a PostgreSQL URL.
 */
import { createInterface } from 'node:readline'
import { signDelivery } from '@feed-receiver/core/testing'
import { createReceiver } from '@feed-receiver/core'
import { createInbox } from '@feed-receiver/inbox'
import { fixture } from '@feed-receiver/sender'
import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'

const [way = '', url = ''] = process.argv.slice(2)
const concurrency = 4
const secret = 'feed_whsec_benchmark_0123456789abcdef'
const pool = new Pool({ connectionString: url, max: 2 })
const table = `effect_${way}`
await pool.query(`create table ${table} (event_id text not null)`)

interface Side {
  queue(ids: string[]): Promise<void>
  work(onStart: (id: string) => void): Promise<void>
  pause(): Promise<void>
}
let started: (id: string) => void = () => {}
const side = way === 'ours' ? await ours() : await bare()

for await (const line of createInterface({ input: process.stdin })) {
  const { jobs, lone } = JSON.parse(line) as { jobs: number; lone: number }
  const before = await count()
  const name = `${way}_${before}`
  await side.queue(Array.from({ length: jobs }, (_, index) => `${name}_${index}`))
  const startedAt = performance.now()
  await side.work((id) => started(id))
  while ((await count()) < before + jobs) await new Promise((resolve) => setTimeout(resolve, 5))
  const ms = performance.now() - startedAt

  const latencies: number[] = []
  for (let index = 0; index < lone; index += 1) {
    const begins = new Promise<number>((resolve) => {
      started = () => resolve(performance.now())
    })
    const acceptedAt = performance.now()
    await side.queue([`${name}_lone_${index}`])
    latencies.push((await begins) - acceptedAt)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  started = () => {}
  await side.pause()
  latencies.sort((a, b) => a - b)
  console.log(JSON.stringify({ perSecond: (jobs / ms) * 1_000, p50: latencies[lone >> 1] }))
}
process.exit(0)

async function ours(): Promise<Side> {
  let inbox = createInbox({ database: url })
  await inbox.start()
  return {
    async queue(ids) {
      const receiver = createReceiver({ secrets: [secret], inbox, maxInFlight: ids.length })
      const replies = await Promise.all(
        ids.map((id) => {
          const { headers, body } = signDelivery(fixture('model_release', { id }), { secret })
          return receiver.receive({ method: 'POST', headers, body })
        }),
      )
      if (replies.some(({ status }) => status !== 202)) throw new Error('Not all were stored.')
    },
    async work(onStart) {
      await inbox.work(
        {
          async model_release(event, { tx }) {
            onStart(event.id)
            await tx.query(`insert into ${table} values ($1)`, [event.id])
          },
        },
        { concurrency },
      )
    },
    async pause() {
      await inbox.stop()
      inbox = createInbox({ database: url })
      await inbox.start()
    },
  }
}

async function bare(): Promise<Side> {
  const boss = new PgBoss({ connectionString: url, schedule: false, useListenNotify: true })
  await boss.start()
  await boss.createQueue('events', { retryLimit: 10, retryBackoff: true, notify: true })
  return {
    async queue(ids) {
      await boss.insert(
        'events',
        ids.map((id) => ({ data: { id } })),
      )
    },
    async work(onStart) {
      const options = {
        transactional: true,
        localConcurrency: concurrency / 2,
        // Pairs, because pg-boss only fetches again at once after a full batch of more than one.
        batchSize: 2,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: 0.5,
        notifyPollingIntervalSeconds: 0.5,
      } as const
      await boss.work<{ id: string }, unknown, typeof options>(
        'events',
        options,
        async (jobs, tx) => {
          for (const { data } of jobs) {
            onStart(data.id)
            await tx.executeSql(`insert into ${table} values ($1)`, [data.id])
          }
        },
      )
    },
    pause: () => boss.offWork('events'),
  }
}

async function count(): Promise<number> {
  const { rows } = await pool.query(`select count(*)::integer as count from ${table}`)
  return rows[0].count
}
