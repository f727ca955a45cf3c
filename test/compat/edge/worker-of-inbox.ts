import worker from '../../../examples/cloudflare-worker/worker.ts'

type Env = Parameters<typeof worker.fetch>[1]

/** The example, with its schedule behind a route. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== '/scheduled') return await worker.fetch(request, env)
    await worker.scheduled(undefined, env)
    return new Response(null, { status: 204 })
  },
}
