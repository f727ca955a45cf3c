export interface WithinTimeOptions {
  limitMs: number
  signal: AbortSignal
}

/**
 * What a promise resolves with, or undefined where that takes longer.
 *
 * @throws the reason of `signal`, and what the promise rejects with.
 */
export async function withinTime<T>(
  promise: Promise<T>,
  { limitMs, signal }: WithinTimeOptions,
): Promise<T | undefined> {
  signal.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const limit = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(() => resolve(undefined), limitMs)
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
    if (stop) signal.removeEventListener('abort', stop)
  }
}
