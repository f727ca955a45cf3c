import { isError } from '../recognize.ts'
import { DatabaseError } from '../errors.ts'
import type { SentError } from './messages.ts'

// Not the values that were sent, because a body must not reach a log.
const parts =
  'name code severity detail hint position where schema table column dataType constraint routine'.split(
    ' ',
  )

/** Serializes the parts of an error that another process needs. */
export function packError(error: unknown): SentError {
  if (!isError(error)) return { message: String(error), properties: {} }
  const { message } = error
  if (error instanceof DatabaseError) return { message, ours: error.code, properties: {} }
  const known = parts.flatMap((name) => {
    const value: unknown = Reflect.get(error, name)
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { message, properties: Object.fromEntries(known) }
}

/** Restores the error of another process, as if it had happened here. */
export function unpackError({ message, ours, properties }: SentError): Error {
  return ours ? new DatabaseError(ours, message) : Object.assign(new Error(message), properties)
}
