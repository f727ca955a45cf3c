import { Readable, type Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'
import { parseJson } from '../or-undefined.ts'

const mebibyte = 2 ** 20
const maxLineBytes = 10 * mebibyte

/**
 * Passes on the lines that are messages. Answers all others with an error, as the HTTP transport
 * does: the SDK leaves them without an answer, and ends at a line that is too long.
 */
export function checkLines(input: Readable, output: Writable): Readable {
  return Readable.from(passLines(input, (error) => output.write(`${JSON.stringify(error)}\n`)))
}

async function* passLines(input: Readable, reject: (error: object) => void) {
  let parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of input) {
      let rest = Buffer.from(chunk)
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = Buffer.concat([...parts, rest.subarray(0, end + 1)])
        const error = bytes + end > maxLineBytes ? tooLong : findFault(line)
        if (error) reject(error)
        else yield line
        rest = rest.subarray(end + 1)
        parts = []
        bytes = 0
      }
      bytes += rest.length
      // The rest of a line that is too long is only counted.
      if (bytes <= maxLineBytes) parts.push(rest)
    }
  } catch {
    // The input has closed, and so the connection ends.
  }
}

const tooLong = errorOf(-32_600, `A message may have at most ${maxLineBytes / mebibyte} MiB.`, null)

/** The error for a line that is no message; undefined for a message and for an empty line. */
function findFault(line: Buffer): object | undefined {
  const text = line.toString().trim()
  if (text === '') return undefined
  const message = parseJson(text)
  if (message === undefined) return errorOf(-32_700, 'Parse error: the line is not JSON.', null)
  const kinds = [
    isJSONRPCRequest,
    isJSONRPCNotification,
    isJSONRPCResultResponse,
    isJSONRPCErrorResponse,
  ]
  if (kinds.some((is) => is(message))) return undefined
  const { id } = Object(message)
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  return errorOf(-32_600, 'Invalid Request: send one JSON-RPC 2.0 message a line.', known)
}

function errorOf(code: number, message: string, id: string | number | null): object {
  return { jsonrpc: '2.0', id, error: { code, message } }
}
