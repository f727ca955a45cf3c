import type { Context } from 'hono'
import { sessionCookie, type Access } from './access.ts'
import { giveCookie } from './cookies.ts'
import { giveCsrf } from './csrf.ts'
import type { JsonObject } from './read-json.ts'
import { Refusal } from './refusal.ts'

/** What the page asks first: whether it may show anything, and whether anything may be done. */
export interface SessionAnswer {
  title: string
  login: 'token' | 'app'
  /** Who is looking; null before the login. */
  operator: string | null
  readOnly: boolean
  /** To be said with every action. */
  csrf: string
}

/** Says who is looking; the one call that anybody may make. */
export async function showSession(
  c: Context,
  { access, readOnly, title }: { access: Access; readOnly: boolean; title: string },
): Promise<Response> {
  const operator = await access.whoIs(c.req.raw)
  return c.json({
    title,
    login: access.login,
    operator: operator?.name ?? null,
    readOnly: readOnly || operator?.readOnly === true,
    csrf: giveCsrf(c),
  } satisfies SessionAnswer)
}

const maxNameLength = 60

/** Lets in whoever knows the token, under the name that they give. */
export function login(c: Context, { token, name }: JsonObject, access: Access): Response {
  const who = typeof name === 'string' ? name.trim().slice(0, maxNameLength) : ''
  const session = typeof token === 'string' ? access.enter(token, who || 'somebody') : null
  if (session === null) {
    throw new Refusal(401, 'wrong_token', 'This is not the token of this console.')
  }
  giveCookie(c, sessionCookie, session, access.sessionSeconds)
  return c.json({ ok: true })
}

/** Has the browser forget the session. */
export function logout(c: Context): Response {
  giveCookie(c, sessionCookie, '', 0)
  return c.json({ ok: true })
}
