import { errorWithCode, optionCheck, recognizeCopies } from '@feed-receiver/core/internal'

export type SandboxErrorCode =
  /** An option of the sandbox, or its encryption key, is invalid. The message says why. */
  | 'bad_option'
  /** Another process listens on the port. Stop it, or choose another port. */
  | 'port_taken'
  /** The sandbox is not running. Call start() first. */
  | 'not_running'

/** An error in starting or using a sandbox. Its message says what to do next. */
export class SandboxError extends errorWithCode<SandboxErrorCode>('sandbox') {
  static {
    recognizeCopies(this, 'SandboxError')
  }

  override name = 'SandboxError'
}

export const checkOption = optionCheck(SandboxError)
