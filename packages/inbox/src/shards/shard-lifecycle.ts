import { setTimeout as delay } from 'node:timers/promises'
import type { Inbox } from '../inbox.ts'
import { codeOf, InboxError, problem, say } from '../errors.ts'
import type { Handlers } from '../handle/handlers.ts'
import type { WorkOptions } from '../handle/worker.ts'
import type { StartOptions } from '../place-on-citus.ts'
import { tryUntil } from './try-until.ts'

/** How long a start waits for the other shards once one is open. */
const patienceMs = 5_000

interface LifecycleOptions<AppTx> {
  inboxes: readonly Inbox<AppTx>[]
  /** Checks a shard that has just been opened. If it throws, the shard stays closed. */
  check: (shard: number) => Promise<void>
  /** Called with the error of a shard that could not be opened. */
  report: (error: unknown, shard: number) => void
}

/** The state between a start and a stop. */
interface Session<AppTx> {
  how: StartOptions | undefined
  ending: AbortController
  /** The latest attempt to open each shard. */
  attempts: Promise<void>[]
  /** The errors of the latest attempts. */
  failures: Map<number, unknown>
  open: Set<number>
  started: Promise<void>
  /** The background tasks that open and work shards. */
  tasks: Set<Promise<void>>
  work?: [handlers: Handlers<AppTx>, limits: WorkOptions | undefined] | undefined
}

/**
 * Starts shards, runs their workers, and stops them. A start needs one open shard. It retries the
 * others until they open, and then starts their workers, too.
 */
export function createShardLifecycle<AppTx>(options: LifecycleOptions<AppTx>) {
  const { inboxes, check, report } = options
  let session: Session<AppTx> | undefined
  let stopping: Promise<void> | undefined

  return {
    async start(how?: StartOptions): Promise<void> {
      if (stopping) await stopping
      session ??= begin(how)
      await session.started
    },
    async stop(): Promise<void> {
      stopping ??= end().finally(() => (stopping = undefined))
      await stopping
    },
    /** The open shards. Errors: `not_running`. */
    async openShards(): Promise<number[]> {
      const { open, started } = running()
      await started
      return [...open].toSorted((one, other) => one - other)
    },
    isOpen: (shard: number): boolean => session?.open.has(shard) ?? false,
    /** Why a shard could not be opened, for people to read; undefined if it is open. */
    failureOf(shard: number): string | undefined {
      const error = session?.failures.get(shard)
      if (error === undefined) return undefined
      if (error instanceof InboxError) return error.message
      return say('shard_closed', { code: codeOf(error) ?? 'unknown' })
    },
    /**
     * Waits for a start, and for a shard that is being opened; rejects with the reason if that
     * fails.
     */
    async whenOpen(shard: number): Promise<void> {
      const { open, attempts, started } = running()
      await started
      if (!open.has(shard)) await attempts[shard]
    },
    async work(handlers: Handlers<AppTx>, limits?: WorkOptions): Promise<void> {
      const working = running()
      await working.started
      if (working.work) {
        throw new InboxError(
          'already_working',
          'This inbox is already working. Call work only once.',
        )
      }
      working.work = [handlers, limits]
      const shards = [...working.open]
      const results = await Promise.allSettled(shards.map((shard) => workOn(working, shard)))
      const failed = results.filter((result) => result.status === 'rejected')
      const wrong = failed.find(({ reason }) => reason instanceof InboxError)
      if (wrong || failed.length === results.length) {
        working.work = undefined
        throw wrong?.reason ?? failed[0]?.reason
      }
      for (const [index, shard] of shards.entries()) {
        const result = results[index]
        if (result?.status !== 'rejected') continue
        report(result.reason, shard)
        tryAgain(working, shard, () => workOn(working, shard))
      }
    },
  }

  function running(): Session<AppTx> {
    if (session && !stopping) return session
    throw problem('not_running')
  }

  function begin(how?: StartOptions): Session<AppTx> {
    const begun: Session<AppTx> = {
      how,
      ending: new AbortController(),
      attempts: [],
      failures: new Map(),
      open: new Set(),
      tasks: new Set(),
      started: Promise.resolve(),
    }
    const attempts = inboxes.map((_, shard) => attempt(begun, shard))
    begun.started = firstOpens(begun, attempts).catch((error: unknown) => {
      if (session === begun) session = undefined
      throw error
    })
    return begun
  }

  async function firstOpens(begun: Session<AppTx>, attempts: Promise<void>[]): Promise<void> {
    const all = Promise.allSettled(attempts)
    await Promise.any(attempts).catch((error: AggregateError) => {
      throw error.errors[0]
    })
    await Promise.race([all, delay(patienceMs, undefined, { ref: false })])
    // Unlike an outage, this fails the start: other shards would store these events again.
    const wrong = [...begun.failures.values()].find((error) => codeOf(error) === 'wrong_shard')
    if (wrong) {
      await all
      await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
      throw wrong
    }
    for (const [shard, first] of attempts.entries()) {
      const onFailed = (error: unknown) => {
        report(error, shard)
        tryAgain(begun, shard, () => attempt(begun, shard))
      }
      track(begun, first.catch(onFailed))
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
    await inboxes[shard]?.start(begun.how)
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

  function tryAgain(begun: Session<AppTx>, shard: number, run: () => Promise<void>): void {
    track(
      begun,
      tryUntil(begun.ending.signal, run, (error) => report(error, shard)),
    )
  }

  async function end(): Promise<void> {
    const ended = session
    ended?.ending.abort()
    const stops = await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
    if (ended) await Promise.allSettled(ended.tasks)
    // Stops again, because a shard that was being opened is open by now.
    await Promise.allSettled(inboxes.map((inbox) => inbox.stop()))
    session = undefined
    const failed = stops.find((stop) => stop.status === 'rejected')
    if (failed) throw failed.reason
  }
}

function track<AppTx>({ tasks }: Session<AppTx>, task: Promise<void>): void {
  tasks.add(task)
  void task.finally(() => tasks.delete(task))
}
