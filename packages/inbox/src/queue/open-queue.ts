import { isError } from '@feed-receiver/core/internal'
import type { BossOptions } from '@feed-receiver/database'
import { PgBoss } from 'pg-boss'
import { cleanText } from '../clean-text.ts'
import { InboxError } from '../errors.ts'
import { withQueueTimeout } from '../timeout.ts'
import { deadLetterName, otherQueueName } from '../queue-names.ts'
import { indexJobs } from './job-indexes.ts'
import { pausesOf, wakeSql } from './notify.ts'
import type { ClaimedJob, ClaimOptions, Queue, QueueStatus } from './queue.ts'

export interface QueueOptions {
  name: string
  /**
   * Whether jobs of one order key run one after the other. A queue cannot change it.
   * @default false
   */
  isOrdered?: boolean
  /** Job priorities by event type: workers claim higher ones first, and other types have 0. */
  priorities?: Readonly<Record<string, number>>
  schema: string
  boss: BossOptions
  /** Whether pg-boss may install and migrate its own tables. */
  migrate: boolean
  onError: (error: unknown) => void
}

/**
 * The retries of a job: 10, with a backoff from 5 seconds to an hour, then the dead-letter queue.
 */
const retries = { retryLimit: 10, retryDelay: 5, retryBackoff: true, retryDelayMax: 3_600 }

const lifetimes = {
  /** A run times out after 15 minutes, and must send a heartbeat every 30 seconds. */
  expireInSeconds: 900,
  heartbeatSeconds: 30,
  /** Jobs wait for a worker for up to 90 days. */
  retentionSeconds: 90 * 86_400,
  deleteAfterSeconds: 7 * 86_400,
}

// A check that finds a missed heartbeat returns the jobs of a killed worker. Processes share these
// checks, and pg-boss skips their expensive part if the table is large. Workers call them,
// because a quiet queue needs none, and nobody else changes the settings of the queue.
const supervision = {
  supervise: false,
  // It would warn of a slow vacuum by an event that nobody hears.
  monitorVacuum: false,
  monitorIntervalSeconds: 10,
  queueCacheIntervalSeconds: 3_600,
}

/** More than all workers together ever run. */
const noLimit = 1_000_000

const closeTimeoutMs = 2_000

/** If more jobs wait, finding the next due one would take long. */
const maxWaiting = 1_000

const orderedPolicy = 'key_strict_fifo'

/** Opens the queue of one inbox: installs pg-boss if missing, and creates what it needs. */
export async function openQueue({
  name,
  isOrdered = false,
  priorities = {},
  schema,
  boss: connection,
  migrate,
  onError,
}: QueueOptions): Promise<Queue> {
  // The schema exists by then. It is created with the tables of the inbox.
  const access = { ...connection, migrate, createSchema: false }
  const boss = new PgBoss({ ...access, ...supervision, schema, schedule: false })
  boss.on('error', onError)
  const deadLetter = deadLetterName(name)
  const partition = await begin().catch(async (error: unknown) => {
    await letGo()
    throw error
  })
  const jobTable = `${schema}.${partition}`

  return {
    name,
    schema,
    partition,
    isOrdered,
    priorities,
    deadLetter,
    async complete(job, tx) {
      return isAffected(await boss.complete(name, job, undefined, { db: tx }))
    },
    async fail(job, error, tx) {
      return isAffected(await boss.fail(name, job, toOutput(error), { db: tx }))
    },
    async exhaustRetries({ id, retryCount }, tx) {
      const text = `update ${jobTable} set retry_limit = retry_count
         where name = $1 and id = $2 and state = 'active' and retry_count = $3`
      await tx.query(text, [name, id, retryCount])
    },
    async postpone({ id }, seconds, tx) {
      const text = `update ${jobTable} set start_after = ${schema}.job_now() + $3 * interval '1 second'
         where name = $1 and id = $2 and state = 'retry'`
      await tx.query(text, [name, id, seconds])
    },
    async unblock(tx) {
      if (!isOrdered) return
      const text = `update ${jobTable} set policy = 'standard'
         where name = $1 and state = 'failed' and policy = '${orderedPolicy}'`
      await tx.query(text, [name])
      await tx.query(wakeSql({ name, schema }))
    },
    async claim<Job extends ClaimedJob>(
      limit: number,
      { pausedTypes = [], limits, executor }: ClaimOptions = {},
    ) {
      const jobs = await boss.fetch<ClaimedJob['data']>(name, {
        batchSize: limit,
        includeMetadata: true,
        ignoreGroups: pausedTypes,
        ...(limits && {
          groupConcurrency: { default: noLimit, tiers: Object.fromEntries(limits) },
        }),
        ...(executor && { db: executor }),
      })
      // pg-boss passes on the rows of the executor, whose caller knows them.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return jobs as ClaimedJob[] as Job[]
    },
    query,
    async sendHeartbeat(job) {
      return isAffected(await withQueueTimeout(boss.touch(name, job)))
    },
    async listen(onJobs, onPauses = () => {}) {
      const hearAll = () => {
        onPauses()
        onJobs()
      }
      const hear = (payload: string) => {
        if (payload === name) onJobs()
        else if (payload === pausesOf(name)) hearAll()
      }
      const { isListening, close } = await connection.db.listen(schema, hear, hearAll)
      return { isListening, close: () => withQueueTimeout(close(), closeTimeoutMs) }
    },
    async readStatus() {
      const [row] = await query<QueueStatus>(
        `select case when count(*) > ${maxWaiting} then 0
             else extract(epoch from min(start_after) - ${schema}.job_now())::float8 * 1000
           end as "msUntilDue",
           exists (
             select from ${schema}.job
             where name in ($1, $2) and state = 'active' and group_id is not null
           ) as "hasActive"
         from (
           select start_after from ${jobTable}
           where name = $1 and state < 'active' and not blocked limit ${maxWaiting + 1}
         ) waiting`,
        [name, otherQueueName(name, isOrdered)],
      )
      return row ?? { msUntilDue: 0, hasActive: true }
    },
    async supervise() {
      await boss.supervise()
    },
    stop: letGo,
  }

  async function query<Row>(...statement: Parameters<Queue['query']>): Promise<Row[]> {
    const { rows } = await connection.db.executeSql(...statement)
    // The caller knows the columns of its statement.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return rows as Row[]
  }

  /** Returns the partition of the job table. */
  async function begin(): Promise<string> {
    await boss.start()
    // Creating a queue takes a lock and a transaction, even if it exists and nothing changes.
    const queue = (await boss.getQueue(name)) ?? (await create())
    if (!queue)
      throw new InboxError(
        'queue_missing',
        `The queue ${name} does not exist any more. Call \`await inbox.start()\` again.`,
      )
    if (migrate) await indexJobs(boss.getDb(), schema)
    return queue.table
  }

  async function create() {
    await boss.createQueue(deadLetter, { retentionSeconds: lifetimes.retentionSeconds })
    const policy = isOrdered ? orderedPolicy : 'standard'
    await boss.createQueue(name, { ...retries, ...lifetimes, policy, deadLetter, notify: true })
    return await boss.getQueue(name)
  }

  async function letGo(): Promise<void> {
    await withQueueTimeout(boss.stop({ graceful: false }), closeTimeoutMs).catch(onError)
    await connection.db.close()
  }
}

// The type of a response has no members. Without a count, the claim counts as lost.
function isAffected(response: object): boolean {
  return 'affected' in response && response.affected === 1
}

const maxErrorLength = 20_000

// The error of a failed run as operators see it. JSON would omit the members of an Error. Anything
// thrown must be stored, or the attempt would count as unfinished.
function toOutput(error: unknown): object {
  const text = (value: unknown) => cleanText(String(value), maxErrorLength)
  try {
    if (!isError(error)) return { message: text(error) }
    const { name, message, stack } = error
    return { name: text(name), message: text(message), ...(stack && { stack: text(stack) }) }
  } catch {
    return { message: 'The handler threw a value that cannot be shown.' }
  }
}
