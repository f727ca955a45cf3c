import { randomBytes } from 'node:crypto'
import { isSameSecret } from '@feed-receiver/core/node'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'

const csrfCookie = 'feed_console_csrf'
const csrfHeader = 'x-feed-console'

/**
 * Options of a cookie that scripts cannot read and other sites cannot send. With an empty path the
 * browser limits it to the folder of the requested URL, which is our API. That also works behind a
 * proxy that adds a prefix.
 */
export function cookieOptions(c: Context, maxAge: number) {
  const forwarded = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim()
  const secure = new URL(c.req.url).protocol === 'https:' || forwarded === 'https'
  return { path: '', httpOnly: true, sameSite: 'Strict', maxAge, secure } as const
}

/** The CSRF token that the page must send with every action. Only our own page can read it. */
export function giveCsrf(c: Context): string {
  const known = getCookie(c, csrfCookie) ?? ''
  if (/^[\w-]{32}$/.test(known)) return known
  const csrf = randomBytes(24).toString('base64url')
  setCookie(c, csrfCookie, csrf, cookieOptions(c, 31 * 24 * 3_600))
  return csrf
}

/**
 * Whether a request that changes something comes from our own page: it has our origin and our CSRF
 * token, which another site can neither read nor set. Hono's `csrf` checks only forms, and accepts
 * a correct `Origin` even if `Sec-Fetch-Site` names another site.
 */
export function isFromOwnPage(c: Context): boolean {
  const csrf = getCookie(c, csrfCookie) ?? ''
  return isSameSecret(c.req.header(csrfHeader), csrf) && isSameOrigin(c.req.raw)
}

// Checks headers that only the browser sets. Without either header the request is rejected, because
// every current browser sends one of them.
function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = headers.get('origin')
  if (origin === null || !URL.canParse(origin)) return false
  // A browser sends neither of these across sites without a preflight request.
  const hosts = [headers.get('x-forwarded-host'), headers.get('host'), new URL(url).host]
  return hosts.includes(new URL(origin).host)
}
