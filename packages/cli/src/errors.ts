/** Why a command failed. The set is closed. */
export type CliErrorCode =
  /** The command line is wrong or names an unreadable file, so nothing was done. Exits with 2. */
  | 'usage'
  /** Standard input cannot be read, or what it or a file holds is no delivery. */
  | 'unreadable_file'
  /** The variable that should hold the signing secret is not set. */
  | 'no_secret'
  /** The variable of `--token-env` is not set. */
  | 'no_token'
  /** The console of `relay --from` rejects the token, or does not answer as a console. */
  | 'no_console'
  /** The module of `rehearse` cannot be imported, or exports no handlers. */
  | 'bad_module'
  /** There is no embedded database in the folder. */
  | 'no_inbox'
  /** The database has no inbox in this schema, or its tables are older than this command. */
  | 'not_migrated'
  /** The inbox has no such source, entry, row in quarantine, or content. */
  | 'not_found'
  /** Another process has the feed of `dev` or `sandbox` open. */
  | 'feed_in_use'
  /** No sandbox answers at the link of `mcp --sandbox`. */
  | 'no_sandbox'
  /** The command after `dev --` cannot be started. */
  | 'no_command'
  /** The console or the MCP server cannot listen on the port. */
  | 'cannot_listen'
  /** Another process listens on the port of the sandbox. */
  | 'port_taken'
  /** The sandbox rejected a request of the command. The message says why. */
  | 'rejected'

/** An error for a person at a terminal, in one line that says what to do next. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Whether it is an error of a class that its package exports only as a type. */
export function isNamed(error: unknown, name: string): error is Error {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === name
}

export class UsageError extends CliError {
  constructor(message: string, cause?: unknown) {
    super('usage', message, cause)
  }
}
