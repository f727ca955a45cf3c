import { setTimeout as delay } from 'node:timers/promises'
import { InboxError } from '../errors.ts'
import { answered, inTime } from '../timeout.ts'
import type { ClaimedJob, Queue } from '../queue/queue.ts'
import type { Run } from './run.ts'

/** The running handlers, up to a maximum number. */
export type Slots = ReturnType<typeof createSlots>

type Claimed = { jobs: ClaimedJob[] } | { error: unknown }

/** How long nothing is claimed after a run that could not begin, for want of a connection. */
const restMs = 1_000
/** How long a stop waits for the database to take jobs back. */
const handBackMs = 2_000

export interface SlotsOptions {
  queue: Pick<Queue, 'claim' | 'keep'>
  startRuns: (jobs: readonly ClaimedJob[]) => Run[]
  /** Puts claimed jobs back that no handler may begin any more. */
  handBack: (jobs: readonly ClaimedJob[]) => Promise<void>
  concurrency: number
  onError: (error: unknown) => void
}

/**
 * Creates slots, which send heartbeats for every claimed job. While one run commits, the next may
 * begin. If commits are slow, as many runs may wait for theirs as handlers may run.
 */
export function createSlots({ queue, startRuns, handBack, concurrency, onError }: SlotsOptions) {
  const running = new Set<Run>()
  const handling = new Set<Run>()
  const free = () => Math.min(concurrency - handling.size, 2 * concurrency - running.size)
  const ended = { handled: 0, failed: 0 }
  const stopping = new AbortController()
  let restsUntil = 0
  let heartbeat: NodeJS.Timeout | undefined
  let claiming: Promise<Claimed> | undefined
  let onEnd: (job: ClaimedJob) => void = () => {}
  // One promise for all who wait: a race against many long ones would keep a callback in each.
  let onChange = () => {}
  let changed = nextChange()

  return {
    /** The results of the runs so far. */
    ended,
    /** Whether no run is in progress. */
    isIdle: () => running.size === 0,
    /** Whether no handler may begin any more. */
    isStopping: () => stopping.signal.aborted,
    /** Claims and starts as many jobs as may run; false if fewer were due. */
    async fill() {
      await rest()
      const wanted = free()
      const jobs = await claim(wanted)
      if (stopping.signal.aborted) {
        await handBack(jobs)
        return false
      }
      for (const run of startRuns(jobs)) {
        running.add(run)
        handling.add(run)
        void watch(run)
        void watchHandler(run)
      }
      if (running.size > 0) heartbeat ??= setTimeout(beat, heartbeatMs()).unref()
      return jobs.length >= wanted
    },
    /** Resolves once another handler may run, or none may run any more. */
    async oneIsFree() {
      while (free() === 0 && !stopping.signal.aborted) await changed
    },
    /** Resolves once a current run ends, or immediately if there is none. */
    async oneEnds() {
      const { size } = running
      if (size === 0) return
      while (running.size >= size) await changed
    },
    /** Subscribes to the end of each run, with its job. */
    onEachEnd(callBack: (job: ClaimedJob) => void) {
      onEnd = callBack
    },
    /** Resolves once all runs have ended. */
    allEnd,
    /**
     * Starts no more handlers, and waits for running ones: four fifths of the time as they are,
     * then with aborted signals. Ends those that still run, and hands back their jobs to be retried.
     */
    async stop(timeoutMs: number) {
      stopping.abort()
      change()
      const aborting = setTimeout(abort, timeoutMs * 0.8)
      await inTime(allEnd(), timeoutMs, stillRuns).catch(giveUp)
      clearTimeout(aborting)
    },
  }

  /** Its job is due again at once, for a process that has a connection. */
  async function rest(): Promise<void> {
    const leftMs = restsUntil - performance.now()
    if (leftMs <= 0) return
    await delay(leftMs, undefined, { signal: stopping.signal }).catch(() => undefined)
  }

  async function allEnd(): Promise<void> {
    while (running.size > 0) await changed
  }

  function abort(): void {
    const reason = new DOMException('The inbox is stopping.', 'AbortError')
    for (const run of running) run.abort(reason)
  }

  // Without an answer, the queue finds the jobs once their heartbeats are missed.
  async function giveUp(): Promise<void> {
    const givingUp = Promise.all([...running].map((run) => run.giveUp(stillRuns())))
    await inTime(givingUp, handBackMs, stillRuns).catch(onError)
    for (const run of running) run.lose(stillRuns())
    await allEnd()
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
    const outcome = await run.outcome
    if (outcome === 'handedBack') restsUntil = performance.now() + restMs
    else ended[outcome] += 1
    running.delete(run)
    onEnd(run.job)
    change()
  }

  async function watchHandler(run: Run): Promise<void> {
    await run.returned
    handling.delete(run)
    change()
  }

  function change(): void {
    onChange()
    changed = nextChange()
  }

  function nextChange(): Promise<void> {
    return new Promise((resolve) => (onChange = resolve))
  }

  function beat(): void {
    heartbeat = undefined
    if (running.size === 0) return
    heartbeat = setTimeout(beat, heartbeatMs()).unref()
    for (const run of running) void keep(run).catch(onError)
  }

  /** Three heartbeats fit into the time after which a worker counts as dead. */
  function heartbeatMs(): number {
    const allowed = [...running].map(({ job }) => job.heartbeatSeconds ?? 30)
    return (Math.min(...allowed) * 1_000) / 3
  }

  async function keep(run: Run): Promise<void> {
    if (await queue.keep(run.job)) return
    run.lose(new InboxError('claim_lost', 'Another worker has claimed the entry.'))
  }
}

function stillRuns(): InboxError {
  return new InboxError('not_finished', 'The inbox stopped before the handler finished.')
}
