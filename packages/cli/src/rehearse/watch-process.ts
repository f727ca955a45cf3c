/**
 * Keeps handlers from disturbing the command until it is disposed of: what they print with `console`
 * goes to stderr, and a promise that nobody awaits is noted when it rejects, instead of ending it all.
 */
export function watchProcess(): { rejections: string[] } & Disposable {
  const rejections: string[] = []
  const note = (reason: unknown) => {
    rejections.push(reason instanceof Error ? reason.message : String(reason))
  }
  const { log, info, debug, error } = console
  Object.assign(console, { log: error, info: error, debug: error })
  process.on('unhandledRejection', note)
  return {
    rejections,
    [Symbol.dispose]() {
      Object.assign(console, { log, info, debug })
      process.off('unhandledRejection', note)
    },
  }
}
