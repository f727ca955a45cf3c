import type { PollStream } from './poll-inbox.ts'
import type { PollPlace } from './poll-place.ts'

/**
 * Makes the lease of one poller, which keeps other processes from reading the stream. Each round takes
 * it; `during` keeps it for as long as any work that began in it, and then lets go. `onTest` is told
 * that the service has sent a test delivery: it does so after a pause, which has lost pushes, and at
 * the start.
 */
export function createLease(
  { inbox, stream, holder, leaseMs, now, hold, onError }: PollPlace,
  onTest: () => void,
) {
  let uses = 0
  let letting: Promise<void> = Promise.resolve()
  let latestTestId: number | null | undefined

  return {
    take,
    async during<T>(work: () => Promise<T>): Promise<T> {
      await letting
      uses += 1
      let kept: Promise<unknown> = Promise.resolve()
      const keeping = setInterval(() => {
        kept = take().catch(onError)
      }, leaseMs / 3)
      try {
        return await work()
      } finally {
        clearInterval(keeping)
        await kept
        uses -= 1
        // With the database away, the lease ends by itself.
        if (uses === 0) letting = hold(() => inbox.streams.release(stream, holder)).catch(() => {})
        await letting
      }
    },
  }

  async function take(): Promise<PollStream | null> {
    const taken = await inbox.streams.take(stream, { holder, leaseMs, at: new Date(now()) })
    if (!taken) return null
    const isTested = latestTestId !== undefined && taken.latestTestId !== latestTestId
    latestTestId = taken.latestTestId
    if (isTested) onTest()
    return taken
  }
}
