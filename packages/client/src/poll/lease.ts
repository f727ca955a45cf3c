import type { PollPlace } from './poll-place.ts'

/**
 * Makes the lease of one poller, which keeps other processes from reading the stream. The first round
 * takes it; `during` keeps it for as long as any work that began in it, and then lets go.
 */
export function createLease(
  { inbox, stream, holder, leaseMs, client, hold, onTake }: PollPlace,
  onError: (error: unknown) => void,
) {
  let uses = 0
  let letting: Promise<void> = Promise.resolve()

  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
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
