import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'

/** How soon the job of a killed worker comes back in a fault run. */
export const quickQueue = {
  heartbeatSeconds: 5,
  retryDelaySeconds: 1,
  /** As tries come sooner, it takes more of them to outlast an outage. */
  retryLimit: 200,
  superviseSeconds: 1,
}

/** What makes a queue try again soon; the defaults are for patient services, not for test runs. */
export const quickQueueSql = `update feed_inbox.queue set
  heartbeat_seconds = ${quickQueue.heartbeatSeconds},
  retry_limit = ${quickQueue.retryLimit},
  retry_delay = ${quickQueue.retryDelaySeconds},
  retry_delay_max = ${quickQueue.retryDelaySeconds * 4}
  where name = 'feed'`

export interface Supervisor {
  /** Leaves it to the inboxes alone. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/**
 * Does more often what every inbox has pg-boss do now and then: takes jobs from workers that give no
 * sign of life. It connects past the proxy of the programs.
 */
export async function startSupervisor(databaseUrl: string): Promise<Supervisor> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'feed_inbox',
    migrate: false,
    createSchema: false,
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: quickQueue.superviseSeconds,
  })
  // The database goes away all the time here; the next pass finds it again.
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
      if (!isPaused) await boss.supervise('feed').catch(() => undefined)
    }
  }
}
