import type { Context, Next } from 'hono'

// The page needs only its own files, and must not be framed.
const securityHeaders = {
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

/**
 * Adds them to every response. Hono's `secureHeaders` would also send HSTS unless told otherwise.
 */
export async function addSecurityHeaders(c: Context, next: Next): Promise<void> {
  await next()
  for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value)
}
