import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { parse } from 'hono/utils/cookie'

/** One cookie of a request; empty where it has none of this name. */
export function readCookie({ headers }: Request, name: string): string {
  return parse(headers.get('cookie') ?? '', name)[name] ?? ''
}

/**
 * Gives a cookie that scripts cannot read and other sites cannot send. Without a path the browser
 * keeps it for the folder of the URL it asked, whatever a proxy put before it: our API, and no more.
 */
export function giveCookie(c: Context, name: string, value: string, maxAge: number): void {
  const forwarded = c.req.header('x-forwarded-proto')?.split(',')[0]?.trim()
  const secure = new URL(c.req.url).protocol === 'https:' || forwarded === 'https'
  setCookie(c, name, value, { path: '', httpOnly: true, sameSite: 'Strict', maxAge, secure })
}
