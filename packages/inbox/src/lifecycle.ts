import { InboxError } from './errors.ts'
import { inOwnContext } from './own-context.ts'

/** Starts and stops a resource. Concurrent calls share a start or a stop. */
export function createLifecycle<Opened extends { close(): Promise<void> }>(
  open: () => Promise<Opened>,
) {
  let running: Promise<Opened> | undefined
  let stopping: Promise<void> | undefined

  return {
    async start(): Promise<void> {
      // Otherwise immediately, so that a delivery that follows finds a start to wait for.
      if (stopping) await stopping.catch(() => undefined)
      running ??= inOwnContext(open).catch((error: unknown) => {
        running = undefined
        throw error
      })
      await running
    },
    async stop(): Promise<void> {
      // A handler may stop its inbox.
      stopping ??= inOwnContext(close).finally(() => (stopping = undefined))
      await stopping
    },
    /** Waits for a start in progress. Errors: `not_running`. */
    async whenRunning(): Promise<Opened> {
      if (running && !stopping) return running
      throw new InboxError('not_running', 'This inbox is not running. Call `await inbox.start()`.')
    },
  }

  async function close(): Promise<void> {
    const opened = await running?.catch(() => undefined)
    try {
      await opened?.close()
    } finally {
      // Also after an error, because nothing can use it any more. The next start opens another one.
      running = undefined
    }
  }
}
