import { FeedReceiverError } from './errors.ts'

/** The bytes of a body that is no stream. */
export function toBytes(body: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(body)) return bytesOf(body)
  return isArrayBuffer(body) ? new Uint8Array(body) : undefined
}

export function bytesOf(view: ArrayBufferView): Uint8Array {
  if (view instanceof Uint8Array) return view
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

/** Also of another realm, such as that of a test in Jest, where `instanceof` is false. */
function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]'
}

export function isLocked(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'locked' in body && body.locked === true
}

export function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** Names the type of a body that is neither bytes nor a stream. */
export function notRaw(body: unknown): FeedReceiverError {
  const type = Object.prototype.toString.call(body).slice('[object '.length, -1)
  return new FeedReceiverError(
    'bad_body',
    `The body of the request is of the type ${type}. Pass the raw bytes as a Uint8Array or an ` +
      'ArrayBuffer, or pass the stream of the request.',
  )
}

/** The part of a Node stream that is used here; runtimes without Node have no such type. */
export interface NodeStream {
  readonly readableEnded: boolean
  readonly readableDidRead?: boolean
  readonly destroyed: boolean
  isPaused(): boolean
  pause(): unknown
  resume(): unknown
  on(name: 'data' | 'end' | 'close' | 'error', listener: (chunk: unknown) => void): unknown
}

export function isNodeStream(body: unknown): body is NodeStream {
  if (typeof body !== 'object' || body === null) return false
  return 'readableEnded' in body && 'on' in body && typeof body.on === 'function'
}
