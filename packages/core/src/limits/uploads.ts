/** One body that is not complete yet. */
export interface Upload {
  /** Its neighbours in the chain of all that are not complete. */
  before: Upload | undefined
  after: Upload | undefined
  /** By `performance.now()`. */
  startedAt: number
  receivedBytes: number
  giveUp: (problem: 'body_timeout' | 'body_evicted') => void
}

/** The bodies of one receiver that are not complete yet. */
export type Uploads = ReturnType<typeof createUploads>

/** Covers a segment that TCP has to send three times (after 1 s, then after 2 s more). */
const graceMs = 3_000
const checkEveryMs = 250

/**
 * Limits the bodies that are not complete yet, which anybody can send without knowing a secret. They
 * have a limit of their own, so that they never take the place of a delivery that is whole, and only
 * the newest of them stay: a body that arrives at once gets through however many do not.
 *
 * They are linked to each other in the order of their start. The table of a Set drags what it held
 * into the old generation of the heap, and that cost a delivery 5 µs (Node 20.20.2, 32 at a time).
 */
export function createUploads({
  maxUnfinishedBodies,
  minBodyBytesPerSecond,
}: Record<'maxUnfinishedBodies' | 'minBodyBytesPerSecond', number>) {
  let first: Upload | undefined
  let last: Upload | undefined
  let size = 0
  let timer: NodeJS.Timeout | undefined

  return {
    /** Starts waiting for a body. At the limit the oldest other body is given up first. */
    start(upload: Upload): void {
      if (size >= maxUnfinishedBodies) first?.giveUp('body_evicted')
      upload.before = last
      if (last) last.after = upload
      else first = upload
      last = upload
      size += 1
      timer ??= setInterval(checkPace, checkEveryMs)
    },
    /** Stops waiting, because the body is complete or was given up. */
    end(upload: Upload): void {
      const { before, after } = upload
      if (!before && first !== upload) return
      if (before) before.after = after
      else first = after
      if (after) after.before = before
      else last = before
      upload.before = upload.after = undefined
      size -= 1
    },
  }

  function checkPace(): void {
    const now = performance.now()
    let upload = first
    while (upload && now - upload.startedAt >= graceMs) {
      const { after } = upload
      const seconds = (now - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
      upload = after
    }
    if (first) return
    clearInterval(timer)
    timer = undefined
  }
}
