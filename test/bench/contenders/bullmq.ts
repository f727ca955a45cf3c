import { Queue, Worker } from 'bullmq'
import { Pool } from 'pg'
import {
  concurrency,
  poolSettings,
  queueName,
  report,
  type Contender,
  type ContenderSettings,
} from './contender.ts'

const week = 7 * 24 * 3_600

/** Takes a job back from a killed worker soon, instead of after half a minute. */
const quickWorker = { lockDuration: 5_000, stalledInterval: 1_000, maxStalledCount: 200 }

/**
 * BullMQ as its documentation has it: the event id is the job id, so that a known event adds no
 * second job; the queue fails fast inside a request, and the worker waits for Redis forever. How
 * Redis persists is up to its settings: BullMQ asks for an append-only file, and Debian sets none.
 */
export async function openBullMq(settings: ContenderSettings): Promise<Contender> {
  const { databaseUrl, redisUrl = '', name, isQuick, onFirstWrite } = settings
  const queue = new Queue<{ type: string; body: string }>(queueName, {
    connection: { url: redisUrl, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    defaultJobOptions: {
      attempts: isQuick ? 200 : 10,
      backoff: isQuick ? { type: 'fixed', delay: 1_000 } : { type: 'exponential', delay: 1_000 },
      removeOnComplete: { age: week },
      removeOnFail: false,
    },
  })
  queue.on('error', report)
  await queue.waitUntilReady()
  const stops = [() => queue.close()]

  return {
    async keep({ id, type }, body) {
      await queue.add(type, { type, body: body.toString() }, { jobId: id })
      onFirstWrite?.()
    },
    async work(handle) {
      const pool = new Pool({
        ...poolSettings,
        connectionString: databaseUrl,
        application_name: name,
      })
      pool.on('error', report)
      const worker = new Worker(
        queueName,
        async ({ data }) =>
          await handle(JSON.parse(data.body), (text, values) => pool.query(text, values)),
        {
          connection: { url: redisUrl, maxRetriesPerRequest: null },
          concurrency,
          ...(isQuick && quickWorker),
        },
      )
      worker.on('error', report)
      await worker.waitUntilReady()
      stops.unshift(
        () => worker.close(),
        () => pool.end(),
      )
    },
    async stop() {
      for (const stop of stops.splice(0)) await stop()
    },
  }
}
