import { InboxError } from './errors.ts'
import { inOwnContext } from './own-context.ts'

/**
 * Starts and stops a resource, in the order of the calls. Concurrent starts, or stops, share one.
 */
export interface Lifecycle<Opened> {
  start(): Promise<void>
  stop(): Promise<void>
  /** Waits for a start in progress. Errors: `not_running`. */
  whenRunning(): Promise<Opened>
}

export function createLifecycle<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
): Lifecycle<Opened> {
  let running: Promise<Opened> | undefined
  let stopping: Promise<void> | undefined

  return {
    async start() {
      running ??= openNext()
      await running
    },
    async stop() {
      if (running) stopping = closeLast(running)
      running = undefined
      await stopping
    },
    async whenRunning() {
      if (running && !stopping) return running
      throw new InboxError('not_running', 'This inbox is not running. Call `await inbox.start()`.')
    },
  }

  function openNext(): Promise<Opened> {
    // Otherwise immediately, so that a delivery that follows finds a start to wait for.
    const opened = stopping
      ? stopping.catch(() => undefined).then(() => inOwnContext(open))
      : inOwnContext(open)
    const opening = opened.catch((error: unknown) => {
      if (running === opening) running = undefined
      throw error
    })
    return opening
  }

  /** A handler may stop its inbox. After an error, too, the next start opens another one. */
  function closeLast(opening: Promise<Opened>): Promise<void> {
    const closed = inOwnContext(async () => {
      const opened = await opening.catch(() => undefined)
      await opened?.close()
    })
    const closing = closed.finally(() => {
      if (stopping === closing) stopping = undefined
    })
    return closing
  }
}
