import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import type { QueueName } from '../../bench/contenders/contenders.ts'

/** Queue settings for a fault run: how soon the job of a killed worker is retried. */
export const quickQueue = {
  heartbeatSeconds: 5,
  retryDelaySeconds: 1,
  /** More retries, because shorter delays must still outlast an outage. */
  retryLimit: 200,
  superviseSeconds: 1,
}

/** Makes a queue retry soon. The defaults suit production, not test runs. */
export async function quickenQueue(
  sql: (text: string, values: unknown[]) => Promise<unknown>,
  { schema, name }: QueueName,
): Promise<void> {
  const { heartbeatSeconds, retryLimit, retryDelaySeconds } = quickQueue
  await sql(
    `update ${schema}.queue set heartbeat_seconds = $2, retry_limit = $3,
       retry_delay = $4, retry_delay_max = $5 where name = $1`,
    [name, heartbeatSeconds, retryLimit, retryDelaySeconds, retryDelaySeconds * 4],
  )
}

export interface Supervisor {
  /** Pauses, so that the inboxes must recover by themselves. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/**
 * Does more often what every worker does at intervals: fails jobs whose heartbeat is
 * missed. It does not connect through the programs' proxy.
 */
export async function startSupervisor(
  databaseUrl: string,
  { schema, name }: QueueName,
): Promise<Supervisor> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema,
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: quickQueue.superviseSeconds,
  })
  // The database often goes away here. The next pass finds it again.
  boss.on('error', () => undefined)
  await boss.start()
  const stopping = new AbortController()
  let isPaused = false
  void superviseForEver()
  return {
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
    async stop() {
      stopping.abort()
      await boss.stop({ graceful: false }).catch(() => undefined)
    },
  }

  async function superviseForEver(): Promise<void> {
    while (!stopping.signal.aborted) {
      await delay(quickQueue.superviseSeconds * 1_000)
      if (!isPaused) await boss.supervise(name).catch(() => undefined)
    }
  }
}
