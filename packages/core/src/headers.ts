/** Headers as a fetch `Headers`, or as Node and most serverless platforms give them. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** One header by its lower-case name; a repeated one is joined the way Node joins it. */
export function readHeader(headers: HeadersLike, name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name] ?? headers[findName(headers, name)]
  return typeof value === 'object' ? value.join(', ') : value
}

function isFetchHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

// Some platforms hand headers on as they were written.
function findName(headers: object, name: string): string {
  return Object.keys(headers).find((key) => key.toLowerCase() === name) ?? name
}

const kept = ['content-type', 'user-agent', 'feed-event-id', 'idempotency-key']

/** The headers that are kept with a delivery; never the signature. */
export function keepHeaders(headers: HeadersLike): Record<string, string> {
  const result: Record<string, string> = {}
  for (const name of kept) {
    const value = readHeader(headers, name)
    if (value !== undefined) result[name] = value.slice(0, maxKeptLength)
  }
  return result
}

const maxKeptLength = 1_000

/** Whether a `Feed-Event-Id` names another event than the signed body does. */
export function contradictsId(header: string, id: string): boolean {
  if (header === id) return false
  // HTTP parsers give each byte of a header as one character.
  return Buffer.from(header, 'latin1').toString('utf8') !== id
}
