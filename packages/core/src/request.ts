/** What `receive` needs of a request. Adapters make it, and read nothing of the body. */
export interface ReceiverRequest {
  method: string | undefined
  headers: HeadersLike
  body: Body
}

/**
 * A raw body: bytes, a Node request or a fetch body. `already_read` says that the raw body is lost,
 * because something else has read it.
 */
export type Body = ArrayBuffer | ArrayBufferView | AsyncIterable<Uint8Array> | 'already_read'

/** Whether bytes of the body may still arrive. */
export function mayHoldMore({ method, body }: ReceiverRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false
  // Callers without TypeScript pass anything.
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** Headers as a fetch `Headers`, or as the objects of Node and most serverless platforms. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Gets one header by its lower-case name; repeated headers are joined as Node joins them. */
export type Headers = (name: string) => string | undefined

/** Makes the header lookup of one request. */
export function readHeaders(headers: HeadersLike): Headers {
  if (isFetchHeaders(headers)) return (name) => headers.get(name) ?? undefined
  // Node writes names in lower case. Some platforms leave them as they were sent.
  const lower = headers['feed-signature'] === undefined ? toLowerCase(headers) : headers
  return (name) => {
    const value = lower[name]
    return typeof value === 'object' ? value.join(', ') : value
  }
}

function isFetchHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function toLowerCase(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, readonly string[]> {
  const lower = new Map<string, string[]>()
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const key = name.toLowerCase()
    const values = lower.get(key) ?? []
    values.push(...(typeof value === 'string' ? [value] : value))
    lower.set(key, values)
  }
  return Object.fromEntries(lower)
}

/** Whether every coding in a `Content-Encoding` header leaves the body as it is. */
export function isIdentity(contentEncoding: string): boolean {
  return membersOf(contentEncoding).every((coding) => /^(?:identity)?$/i.test(coding))
}

/** The first members of a list in a header, without the white space at its commas. */
export function membersOf(header: string, max?: number): string[] {
  // A pattern for the white space would take a quarter of a second for 16 KB of it.
  return header.split(',', max).map((member) => member.trim())
}

const storedHeaders = ['content-type', 'user-agent', 'feed-event-id', 'idempotency-key']

/** Picks the headers that are stored with a delivery; never the signature. */
export function pickHeaders(header: Headers): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of storedHeaders) {
    const value = header(name)
    if (value !== undefined) result[name] = value.slice(0, maxStoredLength)
  }
  return result
}

const maxStoredLength = 1_000

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Whether `Feed-Event-Id` differs from the id in the signed body. */
export function contradictsId(header: string, id: string): boolean {
  if (header === id) return false
  // HTTP parsers represent each byte of a header as one character.
  const bytes = Uint8Array.from(header, (character) => character.charCodeAt(0))
  const text = decoder.decode(bytes)
  // A proxy may have repeated the header.
  return text !== id && membersOf(text).some((copy) => copy !== id)
}
