import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'

const csrfCookie = 'feed_console_csrf'
const csrfHeader = 'x-feed-console'

/**
 * Of a cookie that scripts cannot read and other sites cannot send. Without a path the browser keeps
 * it for the folder of the URL it asked, whatever a proxy put before it: our API, and no more.
 */
export function cookieOptions(c: Context, maxAge: number) {
  const forwarded = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim()
  const secure = new URL(c.req.url).protocol === 'https:' || forwarded === 'https'
  return { path: '', httpOnly: true, sameSite: 'Strict', maxAge, secure } as const
}

/** Compares in a time that says nothing about either, their lengths included. */
export function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** What the page must say with every action: known to whoever may read our answers. */
export function giveCsrf(c: Context): string {
  const known = getCookie(c, csrfCookie) ?? ''
  if (/^[\w-]{32}$/.test(known)) return known
  const csrf = randomBytes(24).toString('base64url')
  setCookie(c, csrfCookie, csrf, cookieOptions(c, 31 * 24 * 3_600))
  return csrf
}

/**
 * Whether a request that changes something comes from our own page: from its origin, and with the
 * word of our cookie, which another site can neither read nor set. `csrf` of hono checks only forms,
 * and takes a right `Origin` for a request that the browser says is from another site.
 */
export function isFromOwnPage(c: Context): boolean {
  const known = getCookie(c, csrfCookie) ?? ''
  const isSaid = known !== '' && isSame(c.req.header(csrfHeader) ?? '', known)
  return isSaid && isSameOrigin(c.req.raw)
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
