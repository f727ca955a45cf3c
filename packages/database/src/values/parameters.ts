import { DatabaseError } from '../errors.ts'
import { formatTimestamp } from './value-parsers.ts'

/** A parameter in the form that both drivers send: text, bytes, or null. */
export type Parameter = string | Uint8Array | null

/**
 * Converts the values of a statement before a driver sees them, because the drivers disagree. For a
 * jsonb parameter, PGlite writes a JavaScript array as JSON, and node-postgres as an array literal.
 * For a text parameter, one rejects a number and the other accepts it.
 */
export function toParameters(values: readonly unknown[]): Parameter[] {
  return values.map((value, index) => {
    if (value === null || value === undefined) return null
    if (value instanceof Uint8Array) return value
    return toText(value, index + 1)
  })
}

function toText(value: unknown, position: number): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value)
  }
  if (typeof value !== 'object') {
    throw badParameter(
      position,
      `a ${typeof value}, which has no SQL type. Pass a string, a number, a bigint, a boolean, a Date, bytes, an array of these, or an object for json.`,
    )
  }
  if (Array.isArray(value)) return toArrayLiteral(value, position)
  if (!(value instanceof Date)) return JSON.stringify(value)
  if (!Number.isNaN(value.getTime())) return formatTimestamp(value)
  throw badParameter(position, 'an invalid Date. Check the value that it was created from.')
}

function toArrayLiteral(elements: readonly unknown[], position: number): string {
  const texts = elements.map((element) => {
    if (element === null || element === undefined) return 'NULL'
    if (Array.isArray(element)) return toArrayLiteral(element, position)
    if (element instanceof Uint8Array) return `"\\\\x${Buffer.from(element).toString('hex')}"`
    return `"${toText(element, position).replaceAll(/[\\"]/g, '\\$&')}"`
  })
  return `{${texts.join(',')}}`
}

function badParameter(position: number, what: string): DatabaseError {
  return new DatabaseError('bad_parameter', `Parameter $${position} is ${what}`)
}
