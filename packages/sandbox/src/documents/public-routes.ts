import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../server/context.ts'
import { Refusal } from '../server/refusals.ts'
import { developersPage } from './developers-page.ts'
import manifest from './manifest.json' with { type: 'json' }
import { openApiDocument } from './openapi.ts'

/** What anybody may read, from any page: no key, and nothing is charged (R139–R141, R245). */
export function addPublicRoutes(server: FastifyInstance, context: Context): void {
  const { baseUrl, manifestPath } = context
  let openApi: string | undefined
  serve(
    '/v1/schema.json',
    'application/json',
    () => (openApi ??= toJson(openApiDocument(baseUrl()))),
  )
  // What an agent needs to begin (R141).
  serve(manifestPath, 'application/json', () => toJson(manifest).replaceAll('{url}', baseUrl()))
  // It tells of settings, which can change.
  serve('/developers', 'text/html; charset=utf-8', () => developersPage(context))

  function serve(path: string, type: string, write: () => string): void {
    server.get(path, async (request, reply) => {
      const text = write()
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
      void reply.headers({
        ETag: etag,
        'Cache-Control': 'no-cache',
        'Access-Control-Allow-Origin': '*',
        'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
      })
      if (request.headers['if-none-match'] === etag) return await reply.status(304).send()
      return await reply.type(type).send(text)
    })
    server.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: path,
      // Before a body is looked at.
      onRequest: async () => refuse(),
      handler: refuse,
    })
  }
}

function refuse(): never {
  throw new Refusal('bad_method', { headers: { Allow: 'GET, HEAD' } })
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2)
}
