import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '../server/context.ts'
import { Refusal } from '../server/refusals.ts'
import { changes, reads } from './actions.ts'
import type { Control } from './control.ts'
import { readPageFile } from './page-files.ts'
import { checkHost, checkSession, isSession, sessionCookie } from '../server/session.ts'

/** The control page and its actions as JSON, under one prefix. */
export function addControlRoutes(
  server: FastifyInstance,
  context: Context,
  control: Control,
): void {
  server.removeContentTypeParser('text/plain')

  // The address that is printed at the start: trades the token for a cookie that scripts cannot read.
  server.get<{ Querystring: { session?: unknown } }>('/open', async (request, reply) => {
    checkHost(context, request)
    const { session } = request.query
    if (!isSession(context, typeof session === 'string' ? session : undefined)) {
      throw new Refusal('bad_session')
    }
    const cookie = `${sessionCookie}=${context.session}; Path=/_sandbox; HttpOnly; SameSite=Strict`
    return await reply.headers({ 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).redirect('./')
  })

  server.register(async (scope) => {
    scope.addHook('onRequest', async (request) => checkSession(context, request))
    scope.setNotFoundHandler(() => {
      throw new Refusal('not_found')
    })
    scope.get('/', async (_request, reply) => await sendFile(reply, 'index.html'))
    scope.get<{ Params: { '*': string } }>('/page/*', async ({ params }, reply) => {
      return await sendFile(reply, params['*'])
    })
    scope.get<{ Params: { name: string } }>('/api/:name', async ({ params, query }, reply) => {
      const read = Object.hasOwn(reads, params.name) ? reads[params.name] : undefined
      if (!read) throw unknown(params.name)
      return await reply
        .header('Cache-Control', 'no-store')
        .send({ data: await read(control, query) })
    })
    scope.post<{ Params: { name: string } }>('/api/:name', async ({ params, body }, reply) => {
      const change = Object.hasOwn(changes, params.name) ? changes[params.name] : undefined
      if (!change) throw unknown(params.name)
      const data = (await change(control, body ?? {})) ?? null
      return await reply.header('Cache-Control', 'no-store').send({ data })
    })
  })
}

async function sendFile(reply: FastifyReply, path: string): Promise<FastifyReply> {
  const file = await readPageFile(path)
  if (!file) throw new Refusal('not_found')
  return await reply.headers(pageHeaders).type(file.type).send(file.body)
}

/** Only what comes from here, and no script but the page's own files. */
const pageHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

function unknown(name: string): Refusal {
  const isOther = Object.hasOwn(reads, name) || Object.hasOwn(changes, name)
  if (!isOther) return new Refusal('not_found')
  const allowed = Object.hasOwn(reads, name) ? 'GET, HEAD' : 'POST'
  return new Refusal('bad_method', {
    detail: `This action only answers ${allowed}.`,
    headers: { Allow: allowed },
  })
}
