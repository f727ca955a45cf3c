export const config = { matcher: '/webhooks/:path*' }

/** Passes requests on with `NextResponse.next()`, and adds a header so that a test detects it. */
export function proxy(): Response {
  return new Response(null, { headers: { 'x-middleware-next': '1', 'x-passed': 'proxy' } })
}

// Next 15 requires this name and this file name.
export { proxy as middleware }
