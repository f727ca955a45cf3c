import { parse as parseArray } from 'postgres-array'
import { DatabaseError } from '../errors.ts'

/** Converts one value, as the server prints it, to the value in a row. */
export type ValueParser = (text: string) => unknown

/**
 * The parser of a type, the same on both drivers. Unlisted types stay text (numeric, uuid, date,
 * timestamp without zone, interval). Not `pg.types`, because the whole process shares that table,
 * and an app may have changed it.
 */
export function parserFor(oid: number): ValueParser {
  return parsers.get(oid) ?? asText
}

const types: [oid: number, arrayOid: number, parse: ValueParser][] = [
  [16, 1000, (text) => text === 't'], // bool
  [17, 1001, parseBytes], // bytea
  [20, 1016, parseInt8], // int8
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [26, 1028, Number], // oid
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [114, 199, parseJson], // json
  [3802, 3807, parseJson], // jsonb
  [1184, 1185, parseTimestamp], // timestamptz
  [25, 1009, asText], // text
  [1043, 1015, asText], // varchar
  [19, 1003, asText], // name
  [2950, 2951, asText], // uuid
  [1700, 1231, asText], // numeric
]

const parsers = new Map<number, ValueParser>(
  types.flatMap(([oid, arrayOid, parse]) => [
    [oid, parse],
    [arrayOid, (text) => parseArray(text, parse)],
  ]),
)

// A Buffer, not a bare Uint8Array, whose toString('utf8') is a list of numbers.
function parseBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  // The format of a server with bytea_output 'escape'.
  const bytes = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}

// count(*) is an int8, so the everyday case has to be a number; beyond 2^53 a number would be
// wrong.
function parseInt8(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

function parseJson(text: string): unknown {
  return JSON.parse(text)
}

function asText(text: string): string {
  return text
}

const pattern =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-]\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

/**
 * Parses a timestamptz as the server prints it. Returns an Invalid Date for `infinity`, because no
 * Date can hold it. Errors: `date_style`.
 */
export function parseTimestamp(text: string): Date {
  const match = pattern.exec(text)
  if (!match) {
    if (/^-?infinity$/.test(text)) return new Date(Number.NaN)
    // Some of the other styles are indistinguishable.
    throw new DatabaseError(
      'date_style',
      "This transaction has set a DateStyle other than ISO, so its times cannot be read. Remove that statement, or use: set local datestyle to 'ISO'.",
    )
  }
  const part = (index: number) => Number(match[index] ?? 0)
  const milliseconds = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const offset = Math.abs(part(8)) * 3600 + part(9) * 60 + part(10)
  const offsetSeconds = match[8]?.startsWith('-') ? -offset : offset

  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(match[11] ? 1 - part(1) : part(1), part(2) - 1, part(3))
  date.setUTCHours(part(4), part(5), part(6) - offsetSeconds, milliseconds)
  return date
}

/**
 * Formats a valid Date as the server reads it: years beyond 9999 without a sign, BC as a suffix.
 */
export function formatTimestamp(date: Date): string {
  const iso = date.toISOString()
  const year = date.getUTCFullYear()
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return digits + iso.slice(iso.indexOf('-', 1)) + (year > 0 ? '' : ' BC')
}
