import { once } from 'node:events'
import { connect } from 'node:net'

/** A connection to a server, with one request in flight at a time. */
export interface Connection {
  /** Sends a request, and returns the status of the response. */
  ask(request: Buffer | string): Promise<string>
}

/** Connects to a port of this machine. The process ends if the connection is lost. */
export async function openConnection(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(65_536)
  const onread = { buffer, callback: take }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread })
  await once(socket, 'connect')
  // A lost connection must not look like a slow server.
  socket.on('close', () => process.exit(1))
  let received = ''
  let answer: (status: string) => void = () => {}
  return {
    ask(request) {
      socket.write(request)
      return new Promise((resolve) => (answer = resolve))
    },
  }

  function take(length: number): boolean {
    received += buffer.toString('latin1', 0, length)
    if (isWhole(received)) {
      answer(received.slice(9, 12))
      received = ''
    }
    return true
  }
}

function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const head = received.slice(0, end)
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return received.endsWith('\r\n0\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? '0'
  return received.length >= end + 4 + Number(length)
}
