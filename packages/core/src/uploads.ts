import { createChain, type Link } from './chain.ts'
import { createDeadlines, onReached, type RunningDeadline } from './deadline.ts'

/** Why the receiver stopped waiting for the rest of a body. */
export type UploadProblem = 'body_timeout' | 'body_evicted'

/** One body that is not complete yet. */
export interface Upload extends Link<Upload> {
  startedAt: number
  receivedBytes: number
  isOver: boolean
  period: RunningDeadline | undefined
  giveUp: (problem: UploadProblem) => void
}

/** The bodies of one receiver that are not complete yet. */
export interface Uploads {
  /** Starts waiting for a body. At the limit the oldest other body is given up first. */
  start(giveUp: Upload['giveUp']): Upload
  /** Stops waiting, because the body is complete or was given up. */
  end(upload: Upload): void
}

export interface UploadLimits {
  maxUnfinishedBodies: number
  minBodyBytesPerSecond: number
}

/** Covers a segment that TCP has to send three times (after 1 s, then after 2 s more). */
const periodMs = 3_000

/**
 * Limits the bodies that are not complete yet, which anybody can send without knowing a secret. They
 * have a limit of their own, so that they never take the place of a delivery that is whole, and only
 * the newest of them stay: a body that arrives at once gets through however many do not.
 */
export function createUploads({
  maxUnfinishedBodies,
  minBodyBytesPerSecond,
}: UploadLimits): Uploads {
  const unfinished = createChain<Upload>()
  const periods = createDeadlines(periodMs)

  function start(giveUp: Upload['giveUp']): Upload {
    if (unfinished.size >= maxUnfinishedBodies) unfinished.first?.giveUp('body_evicted')
    const upload: Upload = {
      startedAt: performance.now(),
      receivedBytes: 0,
      isOver: false,
      period: undefined,
      giveUp,
      before: undefined,
      after: undefined,
    }
    unfinished.append(upload)
    startPeriod(upload)
    return upload
  }

  function startPeriod(upload: Upload): void {
    const period = periods.start()
    upload.period = period
    onReached(period, () => {
      const seconds = (performance.now() - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
      else startPeriod(upload)
    })
  }

  function end(upload: Upload): void {
    upload.isOver = true
    unfinished.remove(upload)
    if (upload.period) periods.clear(upload.period)
  }

  return { start, end }
}
