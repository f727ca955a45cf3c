import type { Queue } from '../queue/queue.ts'
import type { Slots } from './slots.ts'

/** What goes on until it is stopped. */
export interface Stoppable {
  /** Claims nothing more, and waits for what runs: for some time, then with aborted signals. */
  stop(timeoutMs: number): Promise<void>
}

// For what nobody announces: a retry that is due, or a notification that was lost.
const pollMs = 500

/** Claims jobs as they come, for as long as slots are free. Errors are reported, and the loop goes on. */
export async function startClaimLoop(
  queue: Queue,
  slots: Slots,
  onError: (error: unknown) => void,
): Promise<Stoppable> {
  const bell = createBell()
  const stopping = new AbortController()
  const unlisten = await queue.listen(bell.ring)
  const looping = loop()

  return {
    async stop(timeoutMs) {
      stopping.abort()
      bell.ring()
      await unlisten().catch(onError)
      await looping
      await slots.stop(timeoutMs)
    },
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isMoreDue = await slots.fill().catch((error: unknown) => {
        onError(error)
        return false
      })
      // With every slot taken there is nothing to listen for, but that a slot comes free.
      if (isMoreDue) await slots.oneIsFree()
      else await bell.rung(pollMs)
    }
  }
}

/** Wakes whoever waits, and remembers a ring that nobody has heard yet. */
function createBell() {
  let hasRung = false
  let wake = () => {}
  return {
    ring() {
      hasRung = true
      wake()
    },
    async rung(timeoutMs: number): Promise<void> {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      hasRung = false
    },
  }
}
