import type { Context } from 'hono'
import type { Access } from './access.ts'
import { giveCsrf } from './cookies.ts'
import type { JsonObject } from './query.ts'
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
  access: Access,
  { readOnly, title }: Pick<SessionAnswer, 'readOnly' | 'title'>,
): Promise<SessionAnswer> {
  const operator = await access.whoIs(c)
  return {
    title,
    login: access.login,
    operator: operator?.name ?? null,
    readOnly: readOnly || operator?.readOnly === true,
    csrf: giveCsrf(c),
  }
}

const maxNameLength = 60

/** Lets in whoever knows the token, under the name that they give. */
export async function login(c: Context, access: Access, { token, name }: JsonObject) {
  const who = typeof name === 'string' ? name.trim().slice(0, maxNameLength) : ''
  if (typeof token !== 'string' || !(await access.enter(c, token, who || 'somebody'))) {
    throw new Refusal(401, 'wrong_token', 'This is not the token of this console.')
  }
  return { ok: true }
}
