import { PassThrough, type Readable, type Writable } from 'node:stream'
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server'

const mebibyte = 2 ** 20
const maxLineBytes = 10 * mebibyte

/**
 * Passes on the lines that are messages. Answers all others with an error, as the HTTP transport
 * does: the SDK leaves them without an answer, and ends at a line that is too long.
 */
export function checkLines(input: Readable, output: Writable): Readable {
  const checked = new PassThrough()
  void passLines(input, checked, (error) => output.write(`${JSON.stringify(error)}\n`))
  return checked
}

async function passLines(
  input: Readable,
  checked: PassThrough,
  reject: (error: object) => void,
): Promise<void> {
  let parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of input) {
      const pieces = splitLines(Buffer.from(chunk))
      for (const [index, piece] of pieces.entries()) {
        bytes += piece.length
        // The rest of a line that is too long is only counted.
        if (bytes <= maxLineBytes) parts.push(piece)
        if (index === pieces.length - 1) continue
        const error = bytes > maxLineBytes ? tooLong : findFault(Buffer.concat(parts))
        if (error) reject(error)
        else checked.write(Buffer.concat([...parts, Buffer.from('\n')]))
        parts = []
        bytes = 0
      }
    }
  } catch {
    // The input has closed, and so the connection ends.
  }
  checked.end()
}

/** The lines of a chunk without their ends; the last one goes on in the next chunk. */
function splitLines(chunk: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    lines.push(chunk.subarray(start, end))
    start = end + 1
  }
  return [...lines, chunk.subarray(start)]
}

const tooLong = errorOf(-32_600, `A message may have at most ${maxLineBytes / mebibyte} MiB.`, null)

/** The error for a line that is no message; undefined for a message and for an empty line. */
function findFault(line: Buffer): object | undefined {
  const text = line.toString().trim()
  if (text === '') return undefined
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return errorOf(-32_700, 'Parse error: the line is not JSON.', null)
  }
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
