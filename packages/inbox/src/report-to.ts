type OnError = (error: unknown) => unknown

/**
 * Makes a report of errors that never throws: whoever reports is in the middle of something, and a
 * rejection that nobody awaits would end the process.
 */
export function reportTo(onError: OnError = warn): (error: unknown) => void {
  return (error) => void report(onError, error)
}

async function report(onError: OnError, error: unknown): Promise<void> {
  try {
    await onError(error)
  } catch {
    warn(error)
  }
}

function warn(error: unknown): void {
  process.emitWarning(String(error), 'FeedInboxWarning')
}
