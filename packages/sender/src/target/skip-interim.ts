import type { Socket } from 'node:net'

/**
 * Has a connection skip interim answers (RFC 9110, 15.2), so that only the final one is read. A server
 * may send `100 Continue` unasked, and undici gives up a connection that brings one.
 */
export function skipInterim(socket: Socket): Socket {
  const push = socket.push.bind(socket)
  let held: Buffer = nothing
  // An answer begins with what comes first after more was written.
  let writtenBefore = -1

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      if (held.length > 0) push(held)
      return push(null)
    }
    if (socket.bytesWritten === writtenBefore) return push(chunk)
    const { rest, isFinal } = withoutInterim(
      held.length === 0 ? chunk : Buffer.concat([held, chunk]),
    )
    held = isFinal ? nothing : rest
    if (!isFinal) return true
    writtenBefore = socket.bytesWritten
    return push(rest)
  }
  return socket
}

const nothing = Buffer.alloc(0)

/** What undici too allows the head of an answer. */
const maxHeadBytes = 16 * 1024

/** What is left without whole interim answers, and whether it is known to be of the final one. */
function withoutInterim(bytes: Buffer): { rest: Buffer; isFinal: boolean } {
  let rest = bytes
  while (interim.test(lineOf(rest))) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { rest, isFinal: rest.length > maxHeadBytes }
    rest = rest.subarray(end + 4)
  }
  return { rest, isFinal: !mayBeInterim(lineOf(rest)) }
}

const interim = /^HTTP\/1\.1 1\d\d/

function lineOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, 12)
}

function mayBeInterim(line: string): boolean {
  return line.length < 12 && 'HTTP/1.1 1'.startsWith(line.slice(0, 10))
}
