export interface FollowedSignals {
  signal: AbortSignal
  /** Aborts it for a reason of one's own. */
  abort(reason?: unknown): void
  /** Lets go of the signals that it follows. */
  end(): void
}

/** One signal that aborts with any of several, those included that had aborted before. */
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
