import { setMaxListeners } from 'node:events'

export interface Following {
  /** Aborts with the other one; may be listened to by any number of requests without a warning. */
  signal: AbortSignal
  /** Breaks off what is still under way, and leaves no listener on a long-lived signal. */
  end: () => void
}

/** A signal of one run, which follows that of whoever started it. */
export function followSignal(signal: AbortSignal | undefined): Following {
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const stop = () => stopping.abort(signal?.reason)
  if (signal?.aborted) stop()
  signal?.addEventListener('abort', stop, { once: true })
  return {
    signal: stopping.signal,
    end() {
      signal?.removeEventListener('abort', stop)
      stopping.abort()
    },
  }
}
