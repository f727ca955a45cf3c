import type { Socket } from 'node:net'
import { DatabaseError, type DatabaseErrorCode } from '../errors.ts'
import type { Parameter } from '../values/parameters.ts'

/** One JSON text per line, both ways. Processes with different versions cannot talk. */
export const protocol = 1

/** More than any event or page of events needs. */
const maxBytes = 64 * 1_048_576

/** The first message of the holder. */
export interface Hello {
  protocol: number
  /** The token of its lock. */
  token: string
  /** Whether it hands the folder over to a process that is not a guest and asks for it. */
  isGuest: boolean
}

/** A parameter: text, null, or bytes in hexadecimal. */
export type SentParameter = string | null | { hex: string }

/** A call of another process. `tx` is the `id` of the call that began the transaction. */
export type Call =
  | { id: number; call: 'run'; text: string; values?: SentParameter[]; tx?: number }
  | { id: number; call: 'begin' | 'leave' }
  | { id: number; call: 'commit' | 'rollBack'; tx: number }
  | { id: number; call: 'listen'; channel: string }
  | { id: number; call: 'unlisten'; listener: number }

/**
 * The result of one statement: values as the server prints them, so both sides parse them alike.
 */
export interface SentResult {
  fields: [name: string, oid: number][]
  rows: (string | null)[][]
  rowCount: number
}

/** An error: `ours` is the code of a `DatabaseError`; `properties` are those of any other error. */
export interface SentError {
  message: string
  ours?: DatabaseErrorCode
  properties: Record<string, string>
}

export type Answer = { id: number; results: SentResult[] } | { id: number; error: SentError }

/** The last message: the engine is gone, and the calls without an answer had no effect. */
export interface Farewell {
  gone: true
}

export interface Notification {
  listener: number
  payload: string
}

export function sendParameter(value: Parameter): SentParameter {
  return value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value
}

export function readParameter(value: SentParameter): Parameter {
  return typeof value === 'object' && value !== null ? Buffer.from(value.hex, 'hex') : value
}

/** Throws `unavailable` if the message is too long. */
export function send(
  socket: Socket,
  message: Hello | Call | Answer | Notification | Farewell,
): void {
  if (!socket.writable) return
  const line = `${JSON.stringify(message)}\n`
  const bytes = Buffer.byteLength(line)
  if (bytes > maxBytes) {
    throw new DatabaseError(
      'unavailable',
      `A statement with its values, or its result, has ${bytes} bytes. Processes that share an embedded database send each other at most ${maxBytes}: read or write less at a time, or stop the process that has the database open.`,
    )
  }
  // A client that does not read its answers must not fill the memory of the holder.
  if (socket.writableLength > maxBytes) socket.destroy()
  else socket.write(line)
}

/** Calls back with each complete message; closes the connection if one is too long. */
export function readMessages(socket: Socket, onMessage: (json: string) => void): void {
  let parts: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)])
      rest = rest.subarray(end + 1)
      parts = []
      bytes = 0
      if (!socket.destroyed) read(line)
    }
    if (rest.length > 0) parts.push(rest)
    bytes += rest.length
    if (bytes > maxBytes) socket.destroy()
  })

  function read(line: Buffer): void {
    try {
      onMessage(line.toString('utf8'))
    } catch {
      // Not a message.
      socket.destroy()
    }
  }
}
