import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../server/context.ts'
import { Refusal } from '../server/refusals.ts'
import { developersPage } from './developers-page.ts'
import { openApiDocument } from './openapi.ts'

/** What anybody may read, from any page: no key, and nothing is charged (R139–R141, R245). */
export function addPublicRoutes(server: FastifyInstance, context: Context): void {
  const { baseUrl, manifestPath } = context
  serve(
    '/v1/schema.json',
    'application/json',
    once(() => toJson(openApiDocument(baseUrl()))),
  )
  serve(
    manifestPath,
    'application/json',
    once(() => toJson(discoveryManifest(baseUrl()))),
  )
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

function once(write: () => string): () => string {
  let text: string | undefined
  return () => (text ??= write())
}

function refuse(): never {
  throw new Refusal('bad_method', { headers: { Allow: 'GET, HEAD' } })
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2)
}

/** The stateless revision, and those that begin with a handshake (R157). */
export const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

/** What an agent needs to begin (R141). */
function discoveryManifest(baseUrl: string) {
  return {
    name: 'Source-linked AI provider change feed (sandbox)',
    apiVersion: '1.0.0',
    documentation: `${baseUrl}/developers`,
    openapi: `${baseUrl}/v1/schema.json`,
    auth: { scheme: 'bearer', bearerEnv: 'FEED_API_KEY', keyPrefix: 'feed_live_' },
    polling: { intervalSeconds: 60, firstRunLimit: 50, maxLimit: 200 },
    cursor: {
      opaque: true,
      persistAfterProcessing: true,
      orderWithoutCursor: 'newest_first',
      orderWithCursor: 'oldest_first',
    },
    limits: {
      requestsPerMonth: 100_000,
      requestsPerMinute: 120,
      requestCost: 1,
      countsFailedValidation: true,
    },
    mcp: { url: `${baseUrl}/mcp`, protocolVersions },
    webhooks: {
      schemaVersion: '1.0',
      signatureHeader: 'Feed-Signature',
      replayWindowSeconds: 300,
    },
  }
}
