import { parseArrayLiteral } from './array-literal.ts'
import { parseTimestamp } from './timestamp.ts'

/** Turns one value, as the server prints it, into the value of a row. */
export type ValueParser = (text: string) => unknown

/**
 * What a type becomes in a row, on both drivers alike; every type that is not listed stays text
 * (numeric, uuid, date, timestamp without zone, interval). Ours and not `pg.types`, because that
 * table is one for the whole process and an app may have changed it.
 */
export function parserFor(oid: number): ValueParser {
  return scalarParsers.get(oid) ?? arrayParsers.get(oid) ?? asText
}

const scalarParsers = new Map<number, ValueParser>([
  [16, (text) => text === 't'], // bool
  [17, parseBytes], // bytea
  [20, parseInt8], // int8
  [21, Number], // int2
  [23, Number], // int4
  [26, Number], // oid
  [700, Number], // float4
  [701, Number], // float8
  [114, parseJson], // json
  [3802, parseJson], // jsonb
  [1184, parseTimestamp], // timestamptz
])

const arrayParsers = new Map<number, ValueParser>([
  arrayOf(1000, 16), // bool[]
  arrayOf(1001, 17), // bytea[]
  arrayOf(1016, 20), // int8[]
  arrayOf(1005, 21), // int2[]
  arrayOf(1007, 23), // int4[]
  arrayOf(1028, 26), // oid[]
  arrayOf(1021, 700), // float4[]
  arrayOf(1022, 701), // float8[]
  arrayOf(199, 114), // json[]
  arrayOf(3807, 3802), // jsonb[]
  arrayOf(1185, 1184), // timestamptz[]
  arrayOf(1009, 25), // text[]
  arrayOf(1015, 1043), // varchar[]
  arrayOf(1003, 19), // name[]
  arrayOf(2951, 2950), // uuid[]
  arrayOf(1231, 1700), // numeric[]
])

function arrayOf(oid: number, elementOid: number): [number, ValueParser] {
  const parse = scalarParsers.get(elementOid) ?? asText
  return [oid, (text) => parseArrayLiteral(text, parse)]
}

// A Buffer and not a bare Uint8Array: toString('utf8') of the latter is a list of numbers.
function parseBytes(text: string): Buffer {
  if (text.startsWith('\\x')) return Buffer.from(text.slice(2), 'hex')
  // What a server whose bytea_output is 'escape' prints.
  const bytes = text.replaceAll(/\\(\\|[0-7]{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}

// count(*) is an int8, so the everyday case has to be a number; beyond 2^53 it would be a wrong one.
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
