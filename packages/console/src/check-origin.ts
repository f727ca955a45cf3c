/**
 * Whether a request that changes something comes from our own page, by what only the browser can
 * say. Without either header it is refused: every browser of today sends one with such a request.
 */
export function isFromOwnPage({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // A browser sends none of these two across sites without having asked first.
  const hosts = [headers.get('x-forwarded-host'), headers.get('host'), new URL(url).host]
  return hosts.includes(new URL(origin).host)
}
