import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export interface WireResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** A connection to a loopback server, over which tests send exact bytes and read each response. */
export interface Wire {
  send(bytes: string | Uint8Array): void
  /** Reads nothing until all bytes are written. Rejects if the connection ends before. */
  sendUnread(bytes: Uint8Array): Promise<void>
  /**
   * Resolves with the next response. Rejects if the connection ends before. A response to HEAD has
   * no body, whatever its Content-Length.
   */
  answer(method?: string): Promise<WireResponse>
  /** Resolves once the server has closed the connection. */
  closed: Promise<void>
  destroy(): void
}

export async function openWire(port: number): Promise<Wire> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  let received: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    socket.emit('answer')
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))

  return {
    send: (bytes) => socket.write(bytes),
    async sendUnread(bytes) {
      socket.pause()
      await new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
      socket.resume()
    },
    async answer(method = 'POST') {
      for (;;) {
        const parsed = takeResponse(received, method === 'HEAD')
        if (parsed && parsed.response.status === 100) {
          received = parsed.rest
          continue
        }
        if (parsed) {
          received = parsed.rest
          return parsed.response
        }
        if (socket.closed) throw new Error(`The connection ended after: ${received.toString()}`)
        await nextChunk(socket)
      }
    },
    closed,
    destroy: () => socket.destroy(),
  }
}

function nextChunk(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('answer', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('answer', done)
    socket.on('close', done)
  })
}

function takeResponse(
  bytes: Buffer,
  isHead: boolean,
): { response: WireResponse; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const rest = bytes.subarray(end + 4)
  const body = status === 100 || isHead ? rest.subarray(0, 0) : takeBody(rest, headers)
  if (!body) return undefined
  return {
    response: { status, headers, body: decodeBody(body, headers) },
    rest: rest.subarray(body.length),
  }
}

/** The bytes of the body as sent, or undefined if it is incomplete. */
function takeBody(bytes: Buffer, headers: Record<string, string>): Buffer | undefined {
  if (headers['transfer-encoding'] === 'chunked') {
    const last = bytes.indexOf('0\r\n\r\n')
    return last < 0 ? undefined : bytes.subarray(0, last + 5)
  }
  const length = Number(headers['content-length'] ?? 0)
  return bytes.length < length ? undefined : bytes.subarray(0, length)
}

// The responses are short, so each of them is a single chunk.
function decodeBody(body: Buffer, headers: Record<string, string>): string {
  if (headers['transfer-encoding'] !== 'chunked') return body.toString()
  return body.toString().replaceAll(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/g, '')
}

export interface WireRequest {
  method?: string
  path: string
  /** Written as given. A list repeats the header. */
  headers: Record<string, string | string[]>
  body?: Uint8Array
}

/** The bytes of one request. Adds a Content-Length unless the headers determine the length. */
export function requestBytes({ method = 'POST', path, headers, body }: WireRequest): Buffer {
  const names = Object.keys(headers).map((name) => name.toLowerCase())
  const isLengthGiven = names.includes('content-length') || names.includes('transfer-encoding')
  const all = {
    host: 'receiver.example',
    ...headers,
    ...(body && !isLengthGiven && { 'content-length': String(body.length) }),
  }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  )
  const head = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}

/** A body as chunks of the given size. */
export function chunked(body: Uint8Array, size: number): Buffer {
  const parts: Buffer[] = []
  for (let start = 0; start < body.length; start += size) {
    const part = body.subarray(start, start + size)
    parts.push(
      Buffer.from(`${part.length.toString(16)}\r\n`),
      Buffer.from(part),
      Buffer.from('\r\n'),
    )
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}
