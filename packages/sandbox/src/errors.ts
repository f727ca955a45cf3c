import { recognizeCopies } from '@feed-receiver/core'

export type SandboxErrorCode = 'bad_option' | 'port_taken' | 'not_running'

/** Where the documentation explains each code. */
const entries = 'https://feed-receiver.github.io/feed-receiver/reference/errors#sandbox-'

/** An error in starting or using a sandbox. Its message says what to do next. */
export class SandboxError extends Error {
  static {
    recognizeCopies(this, 'SandboxError')
  }

  override name = 'SandboxError'
  readonly code: SandboxErrorCode

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(`${message} More: ${entries}${code}`, options)
    this.code = code
  }
}
