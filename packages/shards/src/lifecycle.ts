import { setTimeout as delay } from 'node:timers/promises'
import { codeOf } from '@feed-receiver/core/internal'
import { InboxError, type Handlers, type Inbox, type WorkOptions } from '@feed-receiver/inbox'
import { createLifecycle } from '@feed-receiver/inbox/internal'
import { isMistake, ShardError } from './errors.ts'

/** How long a start waits for the other shards once one is open. */
const startWaitMs = 5_000
/** The delay between two attempts to open a shard, or to start its worker. */
const retryMs = 2_000

interface LifecycleOptions<AppTx> {
  inboxes: readonly Inbox<AppTx>[]
  /** Checks a shard that has just been opened. If it throws, the shard stays closed. */
  check: (shard: number) => Promise<void>
  /** Called with the error of a shard that could not be opened. */
  report: (error: unknown, shard: number) => void
}

/** The state between a start and a stop. */
interface Session<AppTx> {
  ending: AbortController
  /** The latest attempt to open each shard. */
  attempts: Promise<void>[]
  /** The errors of the latest attempts. */
  failures: Map<number, unknown>
  open: Set<number>
  /** The background tasks that open and work shards. */
  tasks: Promise<void>[]
  work?: [handlers: Handlers<AppTx>, limits: WorkOptions | undefined] | undefined
  close(): Promise<void>
}

/**
 * Starts shards, runs their workers, and stops them. A start needs one open shard. It retries the
 * others until they open, and then starts their workers, too.
 */
export function createShardLifecycle<AppTx>(options: LifecycleOptions<AppTx>) {
  const { inboxes, check, report } = options
  let session: Session<AppTx> | undefined
  const { start, stop, whenRunning } = createLifecycle(open)

  return {
    start,
    stop,
    /** The open shards. Errors: `not_running`. */
    async openShards(): Promise<number[]> {
      const { open: opened } = await whenRunning()
      return [...opened].toSorted((one, other) => one - other)
    },
    /** Waits until one shard is open. Errors: `not_running`, or why none could be opened. */
    async whenStarted(): Promise<void> {
      await whenRunning()
    },
    isOpen: (shard: number): boolean => session?.open.has(shard) ?? false,
    /** Why a shard could not be opened, for people to read; undefined if it is open. */
    failureOf(shard: number): string | undefined {
      const error = session?.failures.get(shard)
      if (error === undefined) return undefined
      if (error instanceof InboxError || error instanceof ShardError) return error.message
      return `It could not be opened (${codeOf(error) ?? 'unknown'}), so its deliveries are answered with 503. Check that its database runs: the inbox retries every two seconds.`
    },
    /**
     * Waits for a start, and for a shard that is being opened; rejects with the reason if that
     * fails.
     */
    async whenOpen(shard: number): Promise<void> {
      const running = await whenRunning()
      if (!running.open.has(shard)) await running.attempts[shard]
    },
    async work(handlers: Handlers<AppTx>, limits?: WorkOptions): Promise<void> {
      const working = await whenRunning()
      if (working.work) {
        throw new InboxError(
          'already_working',
          'This inbox is already working. Call work only once.',
        )
      }
      working.work = [handlers, limits]
      const starts = new Map([...working.open].map((shard) => [shard, workOn(working, shard)]))
      const results = await Promise.allSettled(starts.values())
      const failed = results.filter((result) => result.status === 'rejected')
      const wrong = failed.find(({ reason }) => isMistake(reason))
      if (wrong || failed.length === results.length) {
        working.work = undefined
        throw wrong?.reason ?? failed[0]?.reason
      }
      for (const [shard, first] of starts) {
        keepTrying(working, shard, first, () => workOn(working, shard))
      }
    },
  }

  async function open(): Promise<Session<AppTx>> {
    const begun: Session<AppTx> = {
      ending: new AbortController(),
      attempts: [],
      failures: new Map(),
      open: new Set(),
      tasks: [],
      close: () => end(begun),
    }
    session = begun
    try {
      await firstOpens(begun)
    } catch (error) {
      session = undefined
      throw error
    }
    return begun
  }

  async function firstOpens(begun: Session<AppTx>): Promise<void> {
    const attempts = inboxes.map((_, shard) => attempt(begun, shard))
    const all = Promise.allSettled(attempts)
    await Promise.any(attempts).catch((error: AggregateError) => {
      throw error.errors[0]
    })
    await Promise.race([all, delay(startWaitMs, undefined, { ref: false })])
    // Unlike an outage, a wrong list fails the start: other shards would store its events again.
    const wrong = [...begun.failures.values()].find((error) => error instanceof ShardError)
    if (wrong) {
      await all
      await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
      throw wrong
    }
    for (const [shard, first] of attempts.entries()) {
      keepTrying(begun, shard, first, () => attempt(begun, shard))
    }
  }

  function attempt(begun: Session<AppTx>, shard: number): Promise<void> {
    const opening = openShard(begun, shard)
    // Callers that wait for the shard also get its failure, but there may be none.
    opening.then(
      () => begun.failures.delete(shard),
      (error: unknown) => begun.failures.set(shard, error),
    )
    begun.attempts[shard] = opening
    return opening
  }

  async function openShard(begun: Session<AppTx>, shard: number): Promise<void> {
    await inboxes[shard]?.start()
    try {
      await check(shard)
    } catch (error) {
      await inboxes[shard]?.stop()
      throw error
    }
    begun.open.add(shard)
    await workOn(begun, shard)
  }

  async function workOn({ work }: Session<AppTx>, shard: number): Promise<void> {
    if (work) await inboxes[shard]?.work(...work)
  }

  /** Waits for `first`, and if it fails runs `again` until it succeeds or the session ends. */
  function keepTrying(
    { ending: { signal }, tasks }: Session<AppTx>,
    shard: number,
    first: Promise<void>,
    again: () => Promise<void>,
  ): void {
    tasks.push(run())

    async function run(): Promise<void> {
      for (let running = first; ; running = again()) {
        try {
          return await running
        } catch (error) {
          if (!signal.aborted) report(error, shard)
        }
        await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined)
        if (signal.aborted) return
      }
    }
  }

  async function end({ ending, tasks }: Session<AppTx>): Promise<void> {
    ending.abort()
    const stops = await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
    await Promise.allSettled(tasks)
    // Stops again, because a shard that was being opened is open by now.
    await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
    session = undefined
    const failed = stops.find((stopped) => stopped.status === 'rejected')
    if (failed) throw failed.reason
  }
}
