/** One cookie of a request; null where it has none of this name. */
export function readCookie(request: Request, name: string): string | null {
  const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/)
  const found = pairs.find((pair) => pair.startsWith(`${name}=`))
  return found === undefined ? null : found.slice(name.length + 1)
}

/**
 * Writes a cookie that scripts cannot read and other sites cannot send. Without a path the browser
 * keeps it for the folder of the URL it asked, whatever a proxy put before it: our API, and no more.
 */
export function writeCookie(
  request: Request,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string {
  const isSecure =
    new URL(request.url).protocol === 'https:' ||
    request.headers.get('x-forwarded-proto')?.split(',')[0]?.trim() === 'https'
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`
}
