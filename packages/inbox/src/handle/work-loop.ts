import { endRuns, type Stoppable } from './end-runs.ts'
import type { Queue } from '../queue/queue.ts'
import type { Runner } from './runner.ts'

// For what nobody announces: a retry that is due, or a notification that was lost.
const pollMs = 500

/** Runs jobs as they come. What fails on the way is reported, and tried again. */
export async function startWorkLoop(
  queue: Queue,
  runner: Runner,
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
      await endRuns(runner, timeoutMs)
    },
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const isMoreDue = await runner.fill().catch((error: unknown) => {
        onError(error)
        return false
      })
      // With every slot taken there is nothing to listen for, but that a slot comes free.
      if (isMoreDue) await runner.oneMayRun()
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
