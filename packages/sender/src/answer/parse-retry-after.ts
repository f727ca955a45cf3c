/**
 * Reads a `Retry-After` value: whole seconds, or a date as HTTP writes it (IMF-fixdate, RFC 9110,
 * 5.6.7), which is measured against `nowMs` (epoch milliseconds).
 *
 * @returns milliseconds to wait, more than 0 and without a cap, or null where the value is missing,
 * garbled, zero, negative or past, and so to be ignored (R236).
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  if (value === undefined) return null
  const text = value.trim()
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - nowMs
  return waitMs > 0 ? waitMs : null
}

/** Epoch milliseconds, or NaN. Date.parse alone takes almost anything: `apples 5` is in 2001. */
function parseHttpDate(text: string): number {
  // A leap second is one that Date does not know.
  const known = text.replace(/:60 GMT$/, ':59 GMT')
  const atMs = Date.parse(known)
  if (new Date(atMs).toUTCString() !== known) return Number.NaN
  return known === text ? atMs : atMs + 1000
}
