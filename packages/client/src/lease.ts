import type { PollPlace } from './poll-round.ts'

/** What one process holds while it reads a stream, so that no other does. */
export interface Lease {
  /** Keeps the lease for as long as anything that was begun here needs it, and then lets go of it. */
  during<T>(work: () => Promise<T>): Promise<T>
}

/** Makes the lease of one poller. It is taken by the first round, and kept by this. */
export function createLease(
  { inbox, stream, holder, leaseMs, client, hold, onTake }: PollPlace,
  onError: (error: unknown) => void,
): Lease {
  let uses = 0
  let letting: Promise<void> = Promise.resolve()

  return {
    async during(work) {
      await letting
      uses += 1
      let kept: Promise<void> = Promise.resolve()
      const keeping = setInterval(() => {
        kept = keep()
      }, leaseMs / 3)
      try {
        return await work()
      } finally {
        clearInterval(keeping)
        await kept
        uses -= 1
        if (uses === 0) letting = letGo()
        await letting
      }
    },
  }

  async function keep(): Promise<void> {
    const at = new Date(client.clock.now())
    await inbox.streams.take(stream, { holder, leaseMs, at }).then(onTake, onError)
  }

  async function letGo(): Promise<void> {
    // With the database away, the lease ends by itself.
    await hold(() => inbox.streams.release(stream, holder)).catch(() => {})
  }
}
