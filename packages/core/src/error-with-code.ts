import { isError } from './recognize.ts'

/** Where the documentation explains each code of each package. */
const reference = 'https://feed-receiver.github.io/feed-receiver/reference/errors#'

/** An error whose `code` says what is wrong, and whose message says what to do next. */
export interface ErrorWithCode<Code extends string> extends Error {
  readonly code: Code
}

/**
 * Creates the class that the error class of a package extends. The message ends with a link to where
 * the documentation explains the code.
 */
export function errorWithCode<Code extends string>(
  packageName: string,
): new (code: Code, message: string, options?: ErrorOptions) => ErrorWithCode<Code> {
  return class extends Error {
    readonly code: Code

    constructor(code: Code, message: string, options?: ErrorOptions) {
      super(`${message} More: ${reference}${packageName}-${code}`, options)
      this.code = code
    }
  }
}

/** Creates the function that throws an error of a class if an option is invalid: `bad_option`. */
export function optionCheck(
  BadOption: new (code: 'bad_option', message: string) => Error,
): (isFine: boolean, message: string) => void {
  return (isFine, message) => {
    if (!isFine) throw new BadOption('bad_option', message)
  }
}

/** The code of an error of the kit, of Node or of a database driver, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return isError(error) && 'code' in error ? String(error.code) : undefined
}
