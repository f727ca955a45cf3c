export interface FollowedSignals {
  signal: AbortSignal
  /** Aborts it for a reason of one's own. */
  abort(reason?: unknown): void
  /** Lets go of the signals that it follows. */
  end(): void
}

/**
 * One signal that aborts with any of several, those included that had aborted before. Not
 * `AbortSignal.any`: on Node 20 each one that somebody listens to stays in memory (1.2 kB) until the
 * signals it follows abort, and those of a client may never do.
 */
export function followSignals(signals: (AbortSignal | undefined)[]): FollowedSignals {
  const controller = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  const stops = given.map((signal) => {
    const stop = () => controller.abort(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    return () => signal.removeEventListener('abort', stop)
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    end: () => stops.forEach((stop) => stop()),
  }
}
