/**
 * Wraps an error callback so that it never throws. Callers are in the middle of other work, and an
 * unhandled rejection would end the process.
 */
export function reportTo(onError: (error: unknown) => unknown = warn): (error: unknown) => void {
  const report = async (error: unknown) => onError(error)
  return (error) => void report(error).catch(() => warn(error))
}

const quietMs = 60_000
const maxRemembered = 100
const maxLength = 10_000
const warnedAt = new Map<string, number>()

/**
 * Warns of the same error once a minute, because in an outage every claim of every worker fails.
 */
function warn(error: unknown): void {
  // The texts of errors may be long, and are remembered.
  const text = String(error).slice(0, maxLength)
  const now = performance.now()
  if (now - (warnedAt.get(text) ?? -Infinity) < quietMs) return
  if (warnedAt.size >= maxRemembered) warnedAt.clear()
  warnedAt.set(text, now)
  process.emitWarning(text, 'FeedInboxWarning')
}
