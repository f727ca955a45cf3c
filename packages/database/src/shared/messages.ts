import type { Socket } from 'node:net'
import { DatabaseError, messageOf, type DatabaseErrorCode } from '../errors.ts'

/** One JSON text per line, both ways. Processes with different versions cannot talk. */
export const protocol = 2

/** More than any event or page of events needs. */
const maxBytes = 64 * 1_048_576
/** In base64, with the rest of its message. */
const maxLineBytes = maxBytes * 1.4

/** The first message of the holder. */
export interface Hello {
  protocol: number
  /** The token of its lock. */
  token: string
  /** Whether it hands the folder over to a process that is not a guest and asks for it. */
  isGuest: boolean
}

/**
 * A call of another process. `message` is one of the PostgreSQL protocol, in base64. `tx` is the `id`
 * of the call that began the transaction, which `end` ends.
 */
export type Call = { id: number } & (
  | { call: 'send'; message: string; tx?: number }
  | { call: 'begin' | 'leave' }
  | { call: 'end'; message?: string; tx: number }
  | { call: 'listen'; channel: string }
  | { call: 'unlisten'; listener: number }
)

/** `data` is the answer of the server, in base64. */
export type Answer = { id: number } & ({ data?: string | undefined } | { error: SentError })

/** An error of the holder itself: a failed statement is an answer. */
export interface SentError {
  message: string
  /** The code of a `DatabaseError`. */
  code?: DatabaseErrorCode
}

/** What the holder sends. */
export type Message =
  | Hello
  | Answer
  /** A notification. */
  | { listener: number; payload: string }
  /** The last message: the engine is gone, and the calls without an answer had no effect. */
  | { gone: true }

/** Throws `unavailable` if a message of the PostgreSQL protocol is too long. */
export function pack(message: Uint8Array): string {
  const { length } = message
  if (length <= maxBytes) return Buffer.from(message).toString('base64')
  throw new DatabaseError(
    'unavailable',
    `A statement with its values, or its result, has ${length} bytes. Processes that share an embedded database send each other at most ${maxBytes}: read or write less at a time, or stop the process that has the database open.`,
  )
}

export function unpack(message: string): Uint8Array {
  return Buffer.from(message, 'base64')
}

export function packError(error: unknown): SentError {
  if (!(error instanceof DatabaseError)) return { message: messageOf(error) }
  // Without its link, which the error of the other process adds again.
  return { message: error.message.replace(/ More: \S+$/, ''), code: error.code }
}

export function send(socket: Socket, message: Message | Call): void {
  if (!socket.writable) return
  // A client that does not read its answers must not fill the memory of the holder.
  if (socket.writableLength > maxLineBytes) socket.destroy()
  else socket.write(`${JSON.stringify(message)}\n`)
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
    if (bytes > maxLineBytes) socket.destroy()
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
