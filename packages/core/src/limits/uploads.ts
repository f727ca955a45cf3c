import { createChain, type Link } from './chain.ts'

/** One body that is not complete yet. */
export interface Upload extends Link<Upload> {
  /** By `performance.now()`. */
  startedAt: number
  receivedBytes: number
  giveUp: (problem: 'body_timeout' | 'body_evicted') => void
}

/** The bodies of one receiver that are not complete yet. */
export interface Uploads {
  /** Starts waiting for a body. At the limit the oldest other body is given up first. */
  start(upload: Upload): void
  /** Stops waiting, because the body is complete or was given up. */
  end(upload: Upload): void
}

export interface UploadLimits {
  maxUnfinishedBodies: number
  minBodyBytesPerSecond: number
}

/** Covers a segment that TCP has to send three times (after 1 s, then after 2 s more). */
const graceMs = 3_000
const checkEveryMs = 250

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
  let timer: NodeJS.Timeout | undefined

  return {
    start(upload) {
      if (unfinished.size() >= maxUnfinishedBodies) unfinished.first()?.giveUp('body_evicted')
      unfinished.append(upload)
      timer ??= setInterval(checkPace, checkEveryMs)
    },
    end: unfinished.remove,
  }

  function checkPace(): void {
    const now = performance.now()
    let upload = unfinished.first()
    while (upload && now - upload.startedAt >= graceMs) {
      const { after } = upload
      const seconds = (now - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
      upload = after
    }
    if (unfinished.first()) return
    clearInterval(timer)
    timer = undefined
  }
}
