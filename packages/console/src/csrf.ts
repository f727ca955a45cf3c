import { randomBytes } from 'node:crypto'
import type { Context } from 'hono'
import { giveCookie, readCookie } from './cookies.ts'
import { isSame } from './session.ts'

const csrfCookie = 'feed_console_csrf'
const csrfHeader = 'x-feed-console'

/** What the page must say with every action: known to whoever may read our answers. */
export function giveCsrf(c: Context): string {
  const known = readCookie(c.req.raw, csrfCookie)
  if (/^[\w-]{32}$/.test(known)) return known
  const csrf = randomBytes(24).toString('base64url')
  giveCookie(c, csrfCookie, csrf, 31 * 24 * 3_600)
  return csrf
}

/**
 * Whether a request that changes something comes from our own page: from its origin, and with the
 * word of our cookie, which another site can neither read nor set. `csrf` of hono checks only forms,
 * and takes a right `Origin` for a request that the browser says is from another site.
 */
export function isFromOwnPage({ req: { raw } }: Context): boolean {
  const known = readCookie(raw, csrfCookie)
  const isSaid = known !== '' && isSame(raw.headers.get(csrfHeader) ?? '', known)
  return isSaid && isSameOrigin(raw)
}

// By what only the browser can say. Without either header it is refused: every browser of today sends
// one with such a request.
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // A browser sends none of these two across sites without having asked first.
  const hosts = [headers.get('x-forwarded-host'), headers.get('host'), new URL(url).host]
  return hosts.includes(new URL(origin).host)
}
