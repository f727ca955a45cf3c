import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

export type ConsoleErrorCode =
  /** createConsole has no access rule. Pass a token from the environment, or authorize(request). */
  | 'no_access_rule'
  /** An option of createConsole is invalid. The message names it. */
  | 'bad_option'
  /** The page of the console is not built, or a bundler has moved the package. Exclude the package from your bundle. */
  | 'page_missing'

/** A mistake in the setup of a console. The message says what to do next. */
export class ConsoleError extends errorWithCode<ConsoleErrorCode>('console') {
  static {
    recognizeCopies(this, 'ConsoleError')
  }

  override name = 'ConsoleError'
}
