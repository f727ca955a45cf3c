import { DatabaseError, messageOf, say } from '../errors.ts'
import { isError } from '../recognize.ts'

/**
 * The error if PGlite could not load its own files, which exist whatever its folder is; undefined
 * for every other cause.
 */
export function pgliteFault(cause: unknown): DatabaseError | undefined {
  const code = codeOf(cause)
  const isMissing = code === 'ENOENT' || code === 'ERR_INVALID_URL'
  const file = isMissing ? ownFile.exec(textOf(cause))?.[0] : undefined
  if (file !== undefined) {
    return new DatabaseError('pglite_missing', say('pglite_bundled', { file }), { cause })
  }
  if (code !== 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') return undefined
  return new DatabaseError('pglite_missing', say('pglite_in_vm'), { cause })
}

/** The message of a cause, on one line. */
export function reasonOf(cause: unknown): string {
  return messageOf(cause).replaceAll(/\s+/g, ' ').trim()
}

const ownFile = /(?:pglite|initdb)\.(?:wasm|data)/

/** Node names the file of an invalid URL beside the message. */
function textOf(cause: unknown): string {
  return isError(cause) && 'input' in cause
    ? `${cause.message} ${String(cause.input)}`
    : messageOf(cause)
}

function codeOf(cause: unknown): unknown {
  return isError(cause) && 'code' in cause ? cause.code : undefined
}
