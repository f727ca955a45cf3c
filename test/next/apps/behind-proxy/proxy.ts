export const config = { matcher: '/webhooks/:path*' }

/** What `NextResponse.next()` makes, with a header of its own, so that a test sees it was here. */
export function proxy(): Response {
  return new Response(null, { headers: { 'x-middleware-next': '1', 'x-passed': 'proxy' } })
}

// Next 15 looks for this name, in a file of this name.
export { proxy as middleware }
