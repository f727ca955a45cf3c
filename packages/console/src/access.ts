import { readCookie } from './cookies.ts'
import { ConsoleError } from './errors.ts'
import { isSame, openSession, sealSession, sessionKeyOf } from './session.ts'

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

/** Decides who may look. */
export interface Access {
  /** How the page lets people in: by a token of its own, or by the login of the app. */
  login: 'token' | 'app'
  whoIs(request: Request): Promise<Operator | null>
  /** The value of a session cookie for whoever knows the token; null for a wrong one. */
  enter(token: string, name: string): string | null
  /** For how long that cookie holds. */
  sessionSeconds: number
}

export const sessionCookie = 'feed_console'

const minTokenLength = 16

/** Makes the one rule that the options ask for. */
export function createAccess({
  token,
  authorize,
  sessionHours,
}: {
  token: string | undefined
  authorize: Authorize | undefined
  sessionHours: number
}): Access {
  if (!(sessionHours > 0 && sessionHours <= 24 * 31)) {
    throw new ConsoleError('bad_option', 'sessionHours: use a number above 0, up to 744.')
  }
  const sessionSeconds = Math.round(sessionHours * 3_600)
  if (token === undefined && authorize === undefined) {
    throw new ConsoleError(
      'no_access_rule',
      'The console shows what the inbox holds, so it must know who may look. Give it a `token` out of ' +
        'the environment (is the variable set?), or `authorize(request)`.',
    )
  }
  if (token !== undefined && authorize !== undefined) {
    throw new ConsoleError('bad_option', 'Give either `token` or `authorize`, not both.')
  }
  if (authorize) {
    const whoIs = async (request: Request) => await authorize(request)
    return { login: 'app', whoIs, enter: () => null, sessionSeconds }
  }
  return createTokenAccess(token ?? '', sessionSeconds)
}

function createTokenAccess(token: string, sessionSeconds: number): Access {
  if (token.length < minTokenLength) {
    throw new ConsoleError(
      'bad_option',
      `token: use ${minTokenLength} random characters or more: openssl rand -hex 24 makes some.`,
    )
  }
  const key = sessionKeyOf(token)
  return {
    login: 'token',
    async whoIs(request) {
      const name = openSession(readCookie(request, sessionCookie), key, Date.now())
      return name === null ? null : { name }
    },
    enter(given, name) {
      if (!isSame(given, token)) return null
      return sealSession(name, key, Date.now() + sessionSeconds * 1_000)
    },
    sessionSeconds,
  }
}
