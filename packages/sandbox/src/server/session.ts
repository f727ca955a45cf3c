import { randomBytes } from 'node:crypto'
import { isSameSecret } from '@feed-receiver/core/node'
import type { FastifyRequest } from 'fastify'
import type { Context } from './context.ts'
import { readBearer } from './api-routes.ts'
import { Rejection } from './rejections.ts'

/**
 * The name of the cookie that the control page sets when its printed address is opened. It has the
 * port, because browsers send the cookies of a host to all of its ports.
 */
export function sessionCookie({ headers }: FastifyRequest): string {
  const [, port = ''] = /:(\d+)$/.exec(headers.host ?? '') ?? []
  return `feed_sandbox_session_${port}`
}

/**
 * Creates a code that opens the control page in place of the session. Every user of the machine can
 * read the arguments of a browser, so each code is valid once, for a minute.
 */
export function createOpenCode(openCodes: Set<string>): string {
  const code = `feed_open_${randomBytes(32).toString('base64url')}`
  openCodes.add(code)
  setTimeout(() => openCodes.delete(code), 60_000).unref()
  return code
}

/**
 * Admits only the sandbox's own page and tools. The host must be one of the sandbox's, so
 * that a foreign name that resolves to loopback is rejected. A browser's Origin must be the same
 * host. The session's token must come as a cookie or as a bearer token.
 */
export function checkSession(context: Context, request: FastifyRequest): void {
  checkHost(context, request)
  const { authorization } = request.headers
  const given = authorization === undefined ? readCookie(request) : readBearer(authorization)
  if (!isSameSecret(given, context.session)) throw new Rejection('bad_session')
}

export function checkHost({ allowedHosts }: Context, { headers }: FastifyRequest): void {
  const host = headers.host ?? ''
  const name = /^(\[[0-9a-f:.]+\]|[^:]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? ''
  if (!loopback.has(name) && !allowedHosts.some((one) => one.toLowerCase() === name))
    throw new Rejection('foreign_host')
  const { origin } = headers
  const isOwn = origin === undefined || [`http://${host}`, `https://${host}`].includes(origin)
  if (!isOwn) throw new Rejection('foreign_origin')
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

function readCookie(request: FastifyRequest): string | undefined {
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
  const own = sessionCookie(request)
  return pairs.find(([name]) => name === own)?.[1]
}
