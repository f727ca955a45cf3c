import { Queue } from 'bullmq'
import { queueName } from '../../bench/contenders/contender.ts'
import type { QueueName } from '../../bench/contenders/contenders.ts'
import { quickenQueue, startSupervisor, type Supervisor } from './supervisor.ts'

/** What the harness knows about the jobs of a receiver. */
export interface JobQueue {
  /** Jobs that wait or run. */
  countLive(): Promise<number>
  /** Jobs that have run since before that time. */
  countRunningSince(at: Date): Promise<number>
  readonly supervisor: Supervisor
  close(): Promise<unknown>
}

type Sql = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

export async function watchPgBoss(
  databaseUrl: string,
  sql: Sql,
  queue: QueueName,
): Promise<JobQueue> {
  await quickenQueue(sql, queue)
  const supervisor = await startSupervisor(databaseUrl, queue)
  const count = async (condition: string, values: unknown[]) => {
    const [row] = await sql<{ count: number }>(
      `select count(*)::int as count from ${queue.schema}.job where name = $1 and ${condition}`,
      [queue.name, ...values],
    )
    return row?.count ?? 0
  }
  return {
    countLive: () => count(`state < 'completed'`, []),
    countRunningSince: (at) => count(`state = 'active' and started_on < $2`, [at]),
    supervisor,
    close: () => supervisor.stop(),
  }
}

/** The workers of BullMQ supervise their queue themselves. */
export function watchBullMq(url: string): JobQueue {
  const queue = new Queue(queueName, { connection: { url } })
  queue.on('error', () => undefined)
  return {
    async countLive() {
      const counts = await queue.getJobCounts('wait', 'active', 'delayed', 'prioritized')
      return Object.values(counts).reduce((sum, count) => sum + count, 0)
    },
    async countRunningSince(at) {
      const running = await queue.getActive()
      return running.filter(({ processedOn = 0 }) => processedOn < at.getTime()).length
    },
    supervisor: { pause() {}, resume() {}, async stop() {} },
    close: () => queue.close(),
  }
}
