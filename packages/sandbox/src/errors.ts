export type SandboxErrorCode = 'bad_option' | 'port_taken' | 'not_running'

/** An error in starting or using a sandbox. Its message says what to do next. */
export class SandboxError extends Error {
  override name = 'SandboxError'
  readonly code: SandboxErrorCode

  constructor(code: SandboxErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
