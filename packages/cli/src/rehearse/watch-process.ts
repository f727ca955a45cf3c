import { withoutSecrets, isError } from '@feed-receiver/core'

/**
 * Keeps handlers from disturbing the command until it is disposed of: what they print with `console`
 * goes to stderr, a promise that nobody awaits is noted when it rejects, and `process.exit` throws,
 * because a command that ended there would seem to have succeeded.
 */
export function watchProcess(): { rejections: string[] } & Disposable {
  const rejections: string[] = []
  const note = (reason: unknown) => {
    rejections.push(withoutSecrets(isError(reason) ? reason.message : String(reason)))
  }
  const { log, info, debug, error } = console
  Object.assign(console, { log: error, info: error, debug: error })
  process.on('unhandledRejection', note)
  const { exit } = process
  process.exit = rejectExit
  return {
    rejections,
    [Symbol.dispose]() {
      Object.assign(console, { log, info, debug })
      process.off('unhandledRejection', note)
      process.exit = exit
    },
  }
}

function rejectExit(code?: number | string | null): never {
  const error = new Error(`process.exit(${code ?? ''}) would end the app. Throw an error instead.`)
  // So that the stack trace begins at the caller.
  Error.captureStackTrace(error, rejectExit)
  throw error
}
