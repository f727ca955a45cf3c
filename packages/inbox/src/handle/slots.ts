import { InboxError } from '../errors.ts'
import { answered, inTime } from '../in-time.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Run } from './run.ts'

/** The running handlers, up to a maximum number. */
export type Slots = ReturnType<typeof createSlots>

type Claimed = { jobs: ClaimedJob[] } | { error: unknown }

/**
 * Creates slots, which send heartbeats for every claimed job. While one run commits, the next may
 * begin. If commits are slow, as many runs may wait for theirs as handlers may run.
 */
export function createSlots(
  queue: Pick<Queue, 'claim' | 'keep'>,
  startRuns: (jobs: readonly ClaimedJob[]) => Run[],
  concurrency: number,
  onError: (error: unknown) => void,
) {
  const running = new Map<Run, Promise<void>>()
  const handling = new Map<Run, Promise<void>>()
  const free = () => Math.min(concurrency - handling.size, 2 * concurrency - running.size)
  const ended = { handled: 0, failed: 0 }
  let heartbeat: NodeJS.Timeout | undefined
  let claiming: Promise<Claimed> | undefined
  let onEnd: (job: ClaimedJob) => void = () => {}

  return {
    /** The results of the runs so far. */
    ended,
    /** Whether no run is in progress. */
    isIdle: () => running.size === 0,
    /** Claims and starts as many jobs as may run; false if fewer were due. */
    async fill() {
      const wanted = free()
      const jobs = await claim(wanted)
      for (const run of startRuns(jobs)) {
        running.set(run, watch(run))
        handling.set(run, watchHandler(run))
      }
      if (running.size > 0) heartbeat ??= setTimeout(beat, heartbeatMs()).unref()
      return jobs.length >= wanted
    },
    /** Resolves once another handler may run. */
    async oneIsFree() {
      while (free() === 0) await Promise.race([...handling.values(), ...running.values()])
    },
    /** Resolves once a current run ends, or immediately if there is none. */
    async oneEnds() {
      if (running.size > 0) await Promise.race(running.values())
    },
    /** Subscribes to the end of each run, with its job. */
    onEachEnd(callBack: (job: ClaimedJob) => void) {
      onEnd = callBack
    },
    /** Resolves once all runs have ended. */
    allEnd,
    /**
     * Waits for running handlers: four fifths of the time as they are, then with aborted signals.
     * Hands back jobs that still run at the end, to be retried.
     */
    async stop(timeoutMs: number) {
      const aborting = setTimeout(abort, timeoutMs * 0.8)
      await inTime(allEnd(), timeoutMs, () => new Error('Some still run.')).catch(giveUp)
      clearTimeout(aborting)
    },
  }

  async function allEnd(): Promise<void> {
    await Promise.all(running.values())
  }

  function abort(): void {
    const reason = new DOMException('The inbox is stopping.', 'AbortError')
    for (const run of running.keys()) run.abort(reason)
  }

  async function giveUp(): Promise<void> {
    await Promise.all([...running.keys()].map((run) => run.giveUp()))
    running.clear()
    handling.clear()
  }

  /** A late claim keeps its place, and the next call takes its jobs. */
  async function claim(limit: number): Promise<ClaimedJob[]> {
    claiming ??= queue.claim(limit).then(
      (jobs) => ({ jobs }),
      (error: unknown) => ({ error }),
    )
    const answer = await answered(claiming)
    claiming = undefined
    if ('error' in answer) throw answer.error
    return answer.jobs
  }

  async function watch(run: Run): Promise<void> {
    ended[await run.outcome] += 1
    running.delete(run)
    onEnd(run.job)
  }

  async function watchHandler(run: Run): Promise<void> {
    await run.returned
    handling.delete(run)
  }

  function beat(): void {
    heartbeat = undefined
    if (running.size === 0) return
    heartbeat = setTimeout(beat, heartbeatMs()).unref()
    for (const run of running.keys()) void keep(run).catch(onError)
  }

  /** Three heartbeats fit into the time after which a worker counts as dead. */
  function heartbeatMs(): number {
    const allowed = [...running.keys()].map(({ job }) => job.heartbeatSeconds ?? 30)
    return (Math.min(...allowed) * 1_000) / 3
  }

  async function keep(run: Run): Promise<void> {
    if (await queue.keep(run.job)) return
    run.lose(new InboxError('claim_lost', 'Another worker has claimed the entry.'))
  }
}
