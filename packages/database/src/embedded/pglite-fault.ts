import { DatabaseError, messageOf, say } from '../errors.ts'
import { isError } from '../recognize.ts'

/**
 * The error of an embedded database that cannot be created or opened: that of its folder, unless
 * PGlite could not load its own files. These exist whatever the folder is.
 */
export function pgliteFault(
  cause: unknown,
  ofFolder: 'not_created' | 'not_opened',
  facts: Record<string, string | number>,
): DatabaseError {
  const isMissing = codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ERR_INVALID_URL'
  const file = isMissing ? ownFile.exec(textOf(cause))?.[0] : undefined
  if (file !== undefined) {
    return new DatabaseError('pglite_missing', say('pglite_bundled', { file }), { cause })
  }
  if (codeOf(cause) === 'ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING_FLAG') {
    return new DatabaseError('pglite_missing', say('pglite_in_vm'), { cause })
  }
  const reason = messageOf(cause).replaceAll(/\s+/g, ' ').trim()
  return new DatabaseError('bad_folder', say(ofFolder, { ...facts, reason }), { cause })
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
