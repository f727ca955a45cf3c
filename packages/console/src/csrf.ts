import { randomBytes } from 'node:crypto'
import { isSame } from './is-same.ts'
import { readCookie, writeCookie } from './cookies.ts'

const csrfCookie = 'feed_console_csrf'
const csrfHeader = 'x-feed-console'

/** What the page must say with every action: known to whoever may read our answers. */
export function giveCsrf(request: Request): { csrf: string; cookie: string | null } {
  const known = readCookie(request, csrfCookie)
  if (known !== null && /^[\w-]{32}$/.test(known)) return { csrf: known, cookie: null }
  const csrf = randomBytes(24).toString('base64url')
  return { csrf, cookie: writeCookie(request, csrfCookie, csrf, 31 * 24 * 3_600) }
}

/** Whether a request says what our cookie says, which another site can neither read nor set. */
export function hasCsrf(request: Request): boolean {
  const said = request.headers.get(csrfHeader)
  const known = readCookie(request, csrfCookie)
  return said !== null && known !== null && known !== '' && isSame(said, known)
}
