import { createChain, type Link } from './chain.ts'

export interface Upload extends Link<Upload> {
  receivedBytes: number
  giveUp: (problem: 'body_timeout' | 'body_evicted') => void
}

export type Uploads = ReturnType<typeof createUploads>

/**
 * Limits the incomplete bodies, which anyone can send without a secret. Their limit is separate, so
 * they never take the slot of a complete delivery. At the limit only the newest stay, so a body
 * that arrives promptly gets through however many others stall.
 */
export function createUploads({
  maxUnfinishedBodies,
  minBodyBytesPerSecond,
}: Record<'maxUnfinishedBodies' | 'minBodyBytesPerSecond', number>) {
  const chain = createChain<Upload>()

  return {
    /** Starts waiting for a body. At the limit it gives up the oldest other body. */
    start(upload: Upload): void {
      if (chain.size >= maxUnfinishedBodies) chain.first?.giveUp('body_evicted')
      chain.add(upload)
    },
    /** Stops waiting, because the body is complete or was given up. */
    end: chain.remove,
    /** Gives up a body whose average pace since its start is below the minimum. */
    checkPace(upload: Upload): void {
      const seconds = (performance.now() - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
    },
  }
}
