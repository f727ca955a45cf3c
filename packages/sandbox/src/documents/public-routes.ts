import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../server/context.ts'
import { homePage, textPageHeaders, toPage, wantsPage } from '../server/pages.ts'
import { Rejection, rejections } from '../server/rejections.ts'
import { rejectOtherMethods, rejectUnrouted } from '../server/reject-unrouted.ts'
import manifest from './manifest.json' with { type: 'json' }
import { openApiDocument } from './openapi.ts'

/** Adds the public documents: no key, no charge, and readable from any origin. */
export function addPublicRoutes(server: FastifyInstance, context: Context): void {
  const { baseUrl, manifestPath } = context
  rejectUnrouted(server)
  serve('/v1/schema.json', 'application/json', () => toJson(openApiDocument(baseUrl())))
  // The manifest with which an agent starts.
  serve(manifestPath, 'application/json', () => toJson(manifest).replaceAll('{url}', baseUrl()))
  // Not cached, because it describes settings, which can change.
  serve('/developers', 'text/html; charset=utf-8', () => developersPage(context))
  // Programs get 404 here, as from the service.
  server.get('/', async (request, reply) => {
    if (!wantsPage(request)) throw new Rejection('not_found')
    return await reply
      .headers({ ...textPageHeaders, 'Cache-Control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(homePage(context))
  })

  function serve(path: string, type: string, write: () => string): void {
    server.get(path, async (request, reply) => {
      const text = write()
      const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
      void reply.headers({
        ETag: etag,
        'Cache-Control': 'no-cache',
        'Access-Control-Allow-Origin': '*',
        ...textPageHeaders,
      })
      if (request.headers['if-none-match'] === etag) return await reply.status(304).send()
      return await reply.type(type).send(text)
    })
    rejectOtherMethods(server, path, 'GET, HEAD')
  }
}

function toJson(document: unknown): string {
  return JSON.stringify(document, null, 2)
}

/**
 * The page for people, with the sandbox's choices where the interface leaves behaviour open.
 */
function developersPage({ baseUrl, behaviour, manifestPath }: Context): string {
  const values: Record<string, string> = {
    url: baseUrl(),
    manifestPath,
    firstCursor:
      behaviour.firstCursor === 'tail'
        ? 'The cursor of a first page leads only to later events. A first page holds at most 200 events, and older ones cannot be reached through its cursor.'
        : 'The cursor of a first page leads to the oldest event, so that you read all history once.',
    moveChanged: behaviour.moveChanged
      ? 'appears again, at a new position in the feed'
      : 'changes in place',
    errors: errorRows.join('\n'),
  }
  const source = readFileSync(new URL('../../src/documents/developers.md', import.meta.url), 'utf8')
  return toPage(source.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? ''))
}

/** The first rejection of each status and code. */
const errorRows = Object.values(rejections)
  .filter((row, at, all) => {
    return at === all.findIndex(({ status, code }) => status === row.status && code === row.code)
  })
  .map(({ status, code, error }) => `| ${status} | \`${code}\` | ${error} |`)
