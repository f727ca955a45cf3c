import { createChain, type Link } from './chain.ts'

export interface Upload extends Link<Upload> {
  receivedBytes: number
  giveUp: (problem: 'body_timeout' | 'body_evicted') => void
}

/**
 * The incomplete bodies, which anyone can send without a secret. Their limit is separate, so they
 * never take the slot of a complete delivery. At the limit only the newest stay, so a body that
 * arrives promptly gets through however many others stall.
 */
export interface Uploads {
  /** Starts waiting for a body. At the limit it gives up the oldest other body. */
  start(upload: Upload): void
  /** Stops waiting, because the body is complete or was given up. */
  end(upload: Upload): void
  /** Gives up a body whose average pace since its start is below the minimum. */
  checkPace(upload: Upload): void
}

export function createUploads({
  maxUnfinishedBodies,
  minBodyBytesPerSecond,
}: Record<'maxUnfinishedBodies' | 'minBodyBytesPerSecond', number>): Uploads {
  const chain = createChain<Upload>()

  return {
    start(upload) {
      if (chain.size >= maxUnfinishedBodies) chain.first?.giveUp('body_evicted')
      chain.add(upload)
    },
    end: chain.remove,
    checkPace(upload) {
      const seconds = (performance.now() - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
    },
  }
}
