import { pageHeaders, readPageFile } from '@feed-receiver/core/internal'
import { isSameSecret, toNodeHandler } from '@feed-receiver/core/node'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { OtherPage } from '../options.ts'
import { missing, Rejection } from '../server/rejections.ts'
import { badMethod, rejectUnrouted } from '../server/reject-unrouted.ts'
import { runAction, type Action } from '../server/action.ts'
import type { Context } from '../server/context.ts'
import { actions } from './actions.ts'
import { addressOf } from './address.ts'
import { checkHost, checkSession, sessionCookie } from '../server/session.ts'

/** Adds the control page, and its actions as JSON, under one prefix. */
export function addControlRoutes(server: FastifyInstance, context: Context): void {
  server.removeContentTypeParser('text/plain')

  // The address printed at the start, or one with a code. It trades the token or the code for a cookie
  // that scripts cannot read. A HEAD request, as of a link preview, must not use up the code.
  const open = { exposeHeadRoute: false }
  server.get<{ Querystring: Record<string, unknown> }>('/open', open, async (request, reply) => {
    checkHost(context, request)
    const { session, code } = request.query
    const isOpen =
      typeof code === 'string'
        ? context.openCodes.delete(code)
        : isSameSecret(typeof session === 'string' ? session : undefined, context.session)
    if (!isOpen) throw new Rejection('bad_session')
    const cookie = `${sessionCookie(request)}=${context.session}; Path=/_sandbox; HttpOnly; SameSite=Strict`
    return await reply.headers({ 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).redirect('./')
  })

  server.register(async (scope) => {
    scope.addHook('onRequest', async (request) => checkSession(context, request))
    rejectUnrouted(scope)
    const { page } = context
    const folder = page?.folder ?? ownFolder
    scope.get('/', async ({ url }, reply) => {
      // The page names its files relative to it.
      if (/^[^?]*[^/?](?:\?|$)/.test(url)) return await reply.redirect('/_sandbox/')
      return await sendFile(reply, folder, 'index.html', notBuilt)
    })
    scope.get<{ Params: { '*': string } }>('/assets/*', async ({ params }, reply) => {
      return await sendFile(reply, folder, `assets/${params['*']}`)
    })
    if (page) addInbox(scope, page)
    scope.all<{ Params: { path: string } }>(
      '/api/:path',
      // Before the body is read.
      { onRequest: async ({ method, params }) => void findAction(method, params.path) },
      async ({ method, params, query, body }, reply) => {
        const row = findAction(method, params.path)
        const data = await runAction(row, context, method === 'POST' ? (body ?? {}) : query)
        if (data === undefined && row.finds) throw missing(row.finds)
        return await sendData(reply, data ?? null)
      },
    )
  })
}

/** @throws Rejection if no action has this address and method */
function findAction(method: string, path: string): Action {
  const found = routes.get(path)
  if (!found) throw new Rejection('not_found')
  if (!found.allow.split(', ').includes(method)) throw badMethod(found.allow)
  return found.row
}

const routes = new Map(
  Object.entries<Action>(actions).map(([name, row]) => {
    const { method, path } = addressOf(name)
    return [path, { row, allow: method === 'GET' ? 'GET, HEAD' : 'POST' }] as const
  }),
)

/** Mounts the inbox that a page shows beside the feed. It reads its own request bodies. */
function addInbox(server: FastifyInstance, { inbox }: OtherPage): void {
  const handle = toNodeHandler(inbox)
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    scope.all('/inbox/*', async ({ raw }, reply) => {
      reply.hijack()
      await handle(raw, reply.raw)
    })
  })
}

async function sendData(reply: FastifyReply, data: unknown): Promise<FastifyReply> {
  return await reply.header('Cache-Control', 'no-store').send({ data })
}

/** The control page, as built by Vite. */
const ownFolder = new URL('../../dist/page/', import.meta.url)

const notBuilt = { detail: 'The control page is not built. Run npm run build in the repository.' }

async function sendFile(
  reply: FastifyReply,
  folder: URL,
  path: string,
  missingFile: { detail?: string } = {},
): Promise<FastifyReply> {
  const file = await readPageFile(folder, path)
  if (!file) throw new Rejection('not_found', missingFile)
  return await reply.headers({ ...pageHeaders, ...file.headers }).send(file.body)
}
