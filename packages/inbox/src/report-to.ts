/**
 * Makes a report of errors that never throws: whoever reports is in the middle of something, and a
 * rejection that nobody awaits would end the process.
 */
export function reportTo(onError: (error: unknown) => unknown = warn): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(() => warn(error))
}

function warn(error: unknown): void {
  process.emitWarning(String(error), 'FeedInboxWarning')
}
