import { createHmac } from 'node:crypto'
import type { Context } from 'hono'
import { getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie'
import { cookieOptions, giveCsrf, isSame } from './cookies.ts'
import { ConsoleError } from './errors.ts'
import type { JsonObject } from './query.ts'
import { Refusal } from './refusal.ts'

/** Somebody who may look. */
export interface Operator {
  /** Kept with what this person does. */
  name: string
  /**
   * True for somebody who may only look, where the console lets others act.
   * @default false
   */
  readOnly?: boolean
}

/** Says who a request comes from; null where it is nobody who may look. */
export type Authorize = (request: Request) => Operator | null | Promise<Operator | null>

export interface AccessOptions {
  /**
   * Who knows it may look: 16 characters or more, random, from the environment. People type it into
   * the page, or follow a link that ends with `#token=…`. Give either this or `authorize`.
   */
  token?: string | undefined
  /** Asks the app itself who a request comes from; null refuses it. */
  authorize?: Authorize | undefined
  /**
   * For how many hours a token that was typed in holds.
   * @default 12
   */
  sessionHours?: number
}

/** Decides who may look. */
export interface Access {
  /** How the page lets people in: by a token of its own, or by the login of the app. */
  login: 'token' | 'app'
  whoIs(c: Context): Promise<Operator | null>
  /** Gives whoever knows the token a session; false for a wrong one. */
  enter(c: Context, token: string, name: string): Promise<boolean>
}

const sessionCookie = 'feed_console'

const minTokenLength = 16

/** A program that gives the token in `Authorization: Bearer`, and may only look. */
const programOperator: Operator = { name: 'a program', readOnly: true }

/** Makes the one rule that the options ask for. */
export function createAccess({ token, authorize, sessionHours = 12 }: AccessOptions): Access {
  if (!(sessionHours > 0 && sessionHours <= 24 * 31)) {
    throw new ConsoleError('bad_option', 'sessionHours: use a number above 0, up to 744.')
  }
  if (token !== undefined && authorize !== undefined) {
    throw new ConsoleError('bad_option', 'Give either `token` or `authorize`, not both.')
  }
  if (authorize) {
    return {
      login: 'app',
      whoIs: async (c) => await authorize(c.req.raw),
      enter: async () => false,
    }
  }
  if (token !== undefined) return createTokenAccess(token, Math.round(sessionHours * 3_600))
  throw new ConsoleError(
    'no_access_rule',
    'The console shows what the inbox holds, so it must know who may look. Give it a `token` out of ' +
      'the environment (is the variable set?), or `authorize(request)`.',
  )
}

function createTokenAccess(token: string, sessionSeconds: number): Access {
  if (token.length < minTokenLength) {
    throw new ConsoleError(
      'bad_option',
      `token: use ${minTokenLength} random characters or more: openssl rand -hex 24 makes some.`,
    )
  }
  // Of its own, so that a cookie says nothing about the token; another token ends all sessions.
  const key = createHmac('sha256', token).update('feed-receiver console session').digest()
  return {
    login: 'token',
    async whoIs(c) {
      const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
      // Acting asks for the page's own cookie besides, which no program has.
      if (bearer !== undefined) return isSame(bearer, token) ? programOperator : null
      const session = (await getSignedCookie(c, key, sessionCookie)) || ''
      const [name = '', expiresAtMs] = session.split('.')
      if (!(Number(expiresAtMs) > Date.now())) return null
      return { name: Buffer.from(name, 'base64url').toString() }
    },
    async enter(c, given, name) {
      if (!isSame(given, token)) return false
      const expiresAtMs = Date.now() + sessionSeconds * 1_000
      const session = `${Buffer.from(name).toString('base64url')}.${expiresAtMs}`
      await setSignedCookie(c, sessionCookie, session, key, cookieOptions(c, sessionSeconds))
      return true
    },
  }
}

/** Has the browser forget the session. */
export function leave(c: Context): void {
  setCookie(c, sessionCookie, '', cookieOptions(c, 0))
}

/** What the page asks first: whether it may show anything, and whether anything may be done. */
export type SessionAnswer = Awaited<ReturnType<typeof showSession>>

/** Says who is looking; the one call that anybody may make. */
export async function showSession(
  c: Context,
  access: Access,
  { readOnly, title }: { readOnly: boolean; title: string },
) {
  const operator = await access.whoIs(c)
  return {
    title,
    login: access.login,
    // Null before the login.
    operator: operator?.name ?? null,
    readOnly: readOnly || operator?.readOnly === true,
    // To be said with every action.
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
