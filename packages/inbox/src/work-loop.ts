import { setTimeout as delay } from 'node:timers/promises'
import type { Queue } from './queue.ts'
import type { Runner } from './runner.ts'

/** Work that goes on until it is stopped. */
export interface WorkLoop {
  /** Claims nothing more, and waits for what runs: for some time, then with aborted signals. */
  stop(timeoutMs: number): Promise<void>
}

// For what nobody announces: a retry that is due, or a notification that was lost.
const pollMs = 500

/** Runs jobs as they come. What fails on the way is reported, and tried again. */
export async function startWorkLoop(
  queue: Queue,
  runner: Runner,
  onError: (error: unknown) => void,
): Promise<WorkLoop> {
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
      if (isMoreDue) await runner.oneEnds()
      else await bell.rung(pollMs)
    }
  }
}

async function endRuns(runner: Runner, timeoutMs: number): Promise<void> {
  const patience = new AbortController()
  const { signal } = patience
  const abort = delay(timeoutMs * 0.8, undefined, { signal }).then(
    () => runner.abort(new DOMException('The inbox is stopping.', 'AbortError')),
    () => undefined,
  )
  const timeout = delay(timeoutMs, undefined, { signal }).then(
    () => runner.giveUp(),
    () => undefined,
  )
  await Promise.race([runner.allEnd(), timeout])
  patience.abort()
  await abort
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
