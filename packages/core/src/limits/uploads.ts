import { createChain, type Link } from './chain.ts'

/** One body that is not complete yet. */
export interface Upload extends Link<Upload> {
  receivedBytes: number
  giveUp: (problem: 'body_timeout' | 'body_evicted') => void
}

/** The bodies of one receiver that are not complete yet. */
export type Uploads = ReturnType<typeof createUploads>

/**
 * Limits the bodies that are not complete yet, which anybody can send without knowing a secret. They
 * have a limit of their own, so that they never take the place of a delivery that is whole, and only
 * the newest of them stay: a body that arrives at once gets through however many do not.
 */
export function createUploads({
  maxUnfinishedBodies,
  minBodyBytesPerSecond,
}: Record<'maxUnfinishedBodies' | 'minBodyBytesPerSecond', number>) {
  const chain = createChain<Upload>()

  return {
    /** Starts waiting for a body. At the limit the oldest other body is given up first. */
    start(upload: Upload): void {
      if (chain.size >= maxUnfinishedBodies) chain.first?.giveUp('body_evicted')
      chain.add(upload)
    },
    /** Stops waiting, because the body is complete or was given up. */
    end: chain.remove,
    /** Gives a body up that is slower than the least pace, averaged since its start. */
    checkPace(upload: Upload): void {
      const seconds = (performance.now() - upload.startedAt) / 1_000
      if (upload.receivedBytes < seconds * minBodyBytesPerSecond) upload.giveUp('body_timeout')
    },
  }
}
