import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

export type ConsoleErrorCode = 'no_access_rule' | 'bad_option' | 'page_missing'

/** A mistake in the setup of a console. The message says what to do next. */
export class ConsoleError extends errorWithCode<ConsoleErrorCode>('console') {
  static {
    recognizeCopies(this, 'ConsoleError')
  }

  override name = 'ConsoleError'
}
