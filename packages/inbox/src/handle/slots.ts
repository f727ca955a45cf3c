import { InboxError } from '../errors.ts'
import { answered, inTime } from '../in-time.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Run } from './run.ts'

/** The runs that are under way, of which there may be so many. */
export type Slots = ReturnType<typeof createSlots>

type Claimed = { jobs: ClaimedJob[] } | { error: unknown }

/**
 * Makes slots, which send heartbeats for every claim that they hold. While one run commits, the next
 * may begin; where commits are slow, as many wait for theirs as handlers may run.
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
    /** How the runs so far have ended. */
    ended,
    /** Whether nothing is under way. */
    isIdle: () => running.size === 0,
    /** Claims and starts as many as may run; false where fewer were due. */
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
    /** Resolves once another one may run. */
    async oneIsFree() {
      while (free() === 0) await Promise.race([...handling.values(), ...running.values()])
    },
    /** Resolves once a run ends that is under way now, or at once where none is. */
    async oneEnds() {
      if (running.size > 0) await Promise.race(running.values())
    },
    /** Calls back with the job of each run that has ended. */
    onEachEnd(callBack: (job: ClaimedJob) => void) {
      onEnd = callBack
    },
    /** Resolves once all have ended. */
    allEnd,
    /**
     * Waits for what runs: for four fifths of the time as it is, then with aborted signals. Hands what
     * still runs at the end back to be tried again.
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

  /** A claim whose answer is late keeps its place, and what it brings is taken by the next one. */
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

  /** Three times before a claim is taken for that of a dead worker. */
  function heartbeatMs(): number {
    const allowed = [...running.keys()].map(({ job }) => job.heartbeatSeconds ?? 30)
    return (Math.min(...allowed) * 1_000) / 3
  }

  async function keep(run: Run): Promise<void> {
    if (await queue.keep(run.job)) return
    run.lose(new InboxError('claim_lost', 'Another worker has the entry by now.'))
  }
}
