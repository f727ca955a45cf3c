import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'

/** Headers of a page that needs only its own files and must not be framed. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** A file of a page, with its own headers. */
export interface PageFile {
  body: Buffer
  headers: Record<string, string>
}

/**
 * Reads `index.html` of a built page, or a file in its folder `assets`. Returns undefined if there
 * is none, and for every other path, so that no path leads out of the folder.
 */
export async function readPageFile(folder: URL, path: string): Promise<PageFile | undefined> {
  const type = types.get(extname(path))
  if (!type || !/^(?:index\.html|assets\/[\w-]+\.[a-z]+)$/.test(path)) return undefined
  const body = await readFile(new URL(path, folder)).catch(() => undefined)
  const caching = hashed.test(path) ? 'public, max-age=31536000, immutable' : 'no-store'
  return body && { body, headers: { 'content-type': type, 'cache-control': caching } }
}

/** A name with a hash of the content, as Vite gives it, so that a new version is a new file. */
const hashed = /-[\w-]{8}\.[a-z]+$/

const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])
