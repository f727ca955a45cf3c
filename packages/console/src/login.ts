import { sessionCookie, type Access } from './access.ts'
import { answerJson } from './answer-json.ts'
import type { ApiOptions } from './api-options.ts'
import { writeCookie } from './cookies.ts'
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
  request: Request,
  { access, readOnly, title }: ApiOptions,
): Promise<Response> {
  const operator = await access.whoIs(request)
  const { csrf, cookie } = giveCsrf(request)
  const session: SessionAnswer = {
    title,
    login: access.login,
    operator: operator?.name ?? null,
    readOnly: readOnly || operator?.readOnly === true,
    csrf,
  }
  return answerJson(session, { cookies: [cookie] })
}

const maxNameLength = 60

/** Lets in whoever knows the token, under the name that they give. */
export function login(request: Request, { token, name }: JsonObject, access: Access): Response {
  const who = typeof name === 'string' ? name.trim().slice(0, maxNameLength) : ''
  const session = typeof token === 'string' ? access.enter(token, who || 'somebody') : null
  if (session === null) {
    throw new Refusal(401, 'wrong_token', 'This is not the token of this console.')
  }
  const cookie = writeCookie(request, sessionCookie, session, access.sessionSeconds)
  return answerJson({ ok: true }, { cookies: [cookie] })
}

/** Has the browser forget the session. */
export function logout(request: Request): Response {
  return answerJson({ ok: true }, { cookies: [writeCookie(request, sessionCookie, '', 0)] })
}
