/**
 * One worker of the `handle` benchmarks in its own process, whose handler inserts one row. Each line
 * of input is a step, and it prints a JSON line after each: `queue` accepts this many events;
 * `handle` starts handlers, and prints how long the queued events took in ms; `lone` accepts this
 * many one by one, and prints the median time from accept to handler in ms; `rest` stops the
 * handlers. Arguments: the contender (see handle-contender.ts), the URLs of a PostgreSQL and of a Redis.
 */
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { signDelivery } from '@feed-receiver/core/testing'
import { fixture } from '@feed-receiver/sender'
import { Pool } from 'pg'
import {
  openHandleContender,
  secret,
  type HandleContender,
  type HandleContenderName,
} from './handle-contender.ts'

export type Step = { queue: number } | { handle: true } | { lone: number } | { rest: true }

/** How many events are accepted at once. */
const atOnce = 64
/** The longest time between two polls of any contender. */
const pollMs = 500
const [name = '', databaseUrl = '', redisUrl] = process.argv.slice(2)
const pool = new Pool({ connectionString: databaseUrl, max: 2 })
await pool.query('create table if not exists effect (event_id text not null)')
const open = () => openHandleContender(name as HandleContenderName, { databaseUrl, redisUrl })

let contender: HandleContender | undefined
let started = () => {}
let begun = await count()
let accepted = begun
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await take(JSON.parse(line) as Step)))
}
process.exit(0)

async function take(step: Step): Promise<number> {
  contender ??= await open()
  if ('queue' in step) await queue(contender, step.queue)
  else if ('handle' in step) return await handle(contender)
  else if ('lone' in step) return await sendLone(contender, step.lone)
  else {
    await contender.stop()
    contender = undefined
  }
  return 0
}

async function queue({ accept }: HandleContender, events: number): Promise<void> {
  for (let done = 0; done < events; done += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, events - done) }, () => send(accept)))
  }
}

async function handle({ work }: HandleContender): Promise<number> {
  const startedAt = performance.now()
  await work(async ({ id }, query) => {
    begun += 1
    started()
    await query('insert into effect values ($1)', [id])
  })
  // Asks the database only once no handler is missing, because asking is no part of the work.
  const isDone = async () => begun >= accepted && (await count()) >= accepted
  while (!(await isDone())) await setTimeout(5)
  return performance.now() - startedAt
}

async function sendLone({ accept }: HandleContender, events: number): Promise<number> {
  const latencies: number[] = []
  for (let index = 0; index < events; index += 1) {
    const begins = new Promise<number>((resolve) => {
      started = () => resolve(performance.now())
    })
    const acceptedAt = performance.now()
    await send(accept)
    latencies.push((await begins) - acceptedAt)
    // At any time between two polls of a worker, and not always right after one.
    await setTimeout(20 + Math.random() * pollMs)
  }
  started = () => {}
  return latencies.toSorted((a, b) => a - b)[events >> 1] ?? 0
}

async function send(accept: HandleContender['accept']): Promise<void> {
  const id = `evt_${process.pid}_${(accepted += 1)}`
  const { headers, body } = signDelivery(fixture('model_release', { id }), { secret })
  await accept(headers, Buffer.from(body))
}

async function count(): Promise<number> {
  const { rows } = await pool.query('select count(*)::integer as count from effect')
  return rows[0].count
}
