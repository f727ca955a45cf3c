import { errorWithCode, recognizeCopies } from '@feed-receiver/core/internal'

export type SandboxErrorCode = 'bad_option' | 'port_taken' | 'not_running'

/** An error in starting or using a sandbox. Its message says what to do next. */
export class SandboxError extends errorWithCode<SandboxErrorCode>('sandbox') {
  static {
    recognizeCopies(this, 'SandboxError')
  }

  override name = 'SandboxError'
}
