import { createHmac } from 'node:crypto'
import { isSameSecret } from '@feed-receiver/core/node'
import type { Context } from 'hono'
import { getCookie, getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie'
import { cookieOptions, giveCsrf } from './cookies.ts'
import { ConsoleError } from './errors.ts'
import type { JsonObject } from './query.ts'
import { Rejection } from './rejection.ts'

/** A person who may use the console. */
export interface Operator {
  /** Recorded with each action of this person. */
  name: string
  /**
   * Whether this person may only look, even if the console allows actions.
   * @default false
   */
  readOnly?: boolean
}

/** Returns who sent a request; null for somebody who has no access. */
export type Authorize = (request: Request) => Operator | null | Promise<Operator | null>

export interface AccessOptions {
  /**
   * The access token: 16 random characters or more, from the environment. Users type it into the
   * page, or follow a link that ends with `#token=…`. Give either this or `authorize`.
   */
  token?: string | undefined
  /** Asks the app who sent a request; null rejects it. */
  authorize?: Authorize | undefined
  /**
   * How many hours a login with the token is valid.
   * @default 12
   */
  sessionHours?: number
}

/** Decides who has access. */
export interface Access {
  /** How users log in: with a token on the page, or through the app. */
  login: 'token' | 'app'
  whoIs(c: Context): Promise<Operator | null>
  /** Creates a session; false for a wrong token. */
  enter(c: Context, token: string, name: string): Promise<boolean>
  leave(c: Context): void
}

const minTokenLength = 16

/** A program that sends the token in `Authorization: Bearer`. It may only look. */
const programOperator: Operator = { name: 'a program', readOnly: true }

export function createAccess({ token, authorize, sessionHours = 12 }: AccessOptions): Access {
  if (!(sessionHours > 0 && sessionHours <= 24 * 31)) {
    throw new ConsoleError('bad_option', 'sessionHours: use a number above 0, up to 744.')
  }
  if (token !== undefined && authorize !== undefined) {
    throw new ConsoleError('bad_option', 'Pass either `token` or `authorize`, not both.')
  }
  if (authorize) {
    return {
      login: 'app',
      whoIs: async (c) => await authorize(c.req.raw),
      enter: async () => false,
      leave: () => {},
    }
  }
  if (token !== undefined) return createTokenAccess(token, Math.round(sessionHours * 3_600))
  throw new ConsoleError(
    'no_access_rule',
    'The console requires an access rule, because it shows the content of the inbox. Pass a `token` from ' +
      'the environment (check that the variable is set), or `authorize(request)`.',
  )
}

function createTokenAccess(token: string, sessionSeconds: number): Access {
  if (token.length < minTokenLength) {
    throw new ConsoleError(
      'bad_option',
      `The option token is too short. Use ${minTokenLength} random characters or more, for example from openssl rand -hex 24.`,
    )
  }
  // A derived key, so that a cookie reveals nothing about the token. Another token ends all
  // sessions.
  const key = createHmac('sha256', token).update('feed-receiver console session').digest()
  // Browsers send cookies to every port of a host, where another console may be.
  const ownName = createHmac('sha256', key).update('cookie').digest('hex').slice(0, 8)
  const sessionCookie = `feed_console_${ownName}`
  return {
    login: 'token',
    async whoIs(c) {
      const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1]
      // Actions also require the page's own cookie, which a program does not have. A proxy may add
      // a token of its own.
      if (isSameSecret(bearer, token)) return programOperator
      const session = (await getSignedCookie(c, key, sessionCookie)) || ''
      const [name = '', expiresAtMs] = session.split('.')
      if (!(Number(expiresAtMs) > Date.now())) return null
      return { name: Buffer.from(name, 'base64url').toString() }
    },
    async enter(c, given, name) {
      if (!isSameSecret(given, token)) return false
      const expiresAtMs = Date.now() + sessionSeconds * 1_000
      const session = `${Buffer.from(name).toString('base64url')}.${expiresAtMs}`
      await setSignedCookie(c, sessionCookie, session, key, cookieOptions(c, sessionSeconds))
      return true
    },
    leave(c) {
      // Not for strangers, who could test guesses of the token against the name of the cookie.
      if (getCookie(c, sessionCookie) === undefined) return
      setCookie(c, sessionCookie, '', cookieOptions(c, 0))
    },
  }
}

/** The first query of the page: who is logged in, and whether actions are allowed. */
export interface SessionAnswer {
  title: string
  /** The environment and the database; empty before the login. */
  subtitle: string
  login: Access['login']
  /** The name of the operator; null before the login. */
  operator: string | null
  readOnly: boolean
  /** Whether an event can be downloaded as a test. */
  canReproduce: boolean
  /** Must be sent with every action. */
  csrf: string
}

interface Shown extends Pick<SessionAnswer, 'title' | 'readOnly' | 'canReproduce'> {
  environment: string | undefined
  readDatabaseName(): Promise<string | null>
}

/** Describes the session. Needs no login. */
export async function showSession(
  c: Context,
  access: Access,
  { environment, readDatabaseName, ...shown }: Shown,
): Promise<SessionAnswer> {
  const operator = await access.whoIs(c)
  return {
    ...shown,
    subtitle: operator ? [environment, await readDatabaseName()].filter(Boolean).join(' · ') : '',
    login: access.login,
    operator: operator?.name ?? null,
    readOnly: shown.readOnly || operator?.readOnly === true,
    csrf: giveCsrf(c),
  }
}

const maxNameLength = 60

/** Logs in with the token, under the given name. */
export async function login(c: Context, access: Access, { token, name }: JsonObject) {
  const who = typeof name === 'string' ? name.trim().slice(0, maxNameLength) : ''
  if (typeof token !== 'string' || !(await access.enter(c, token, who || 'somebody'))) {
    throw new Rejection(401, 'wrong_token', 'The token is wrong. Use the token of this console.')
  }
  return { ok: true }
}
