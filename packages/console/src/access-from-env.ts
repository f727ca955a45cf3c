import { createHmac } from 'node:crypto'

/** What an app needs to mount its console, and to print a link to it. */
export interface ConsoleAccess {
  /** For `createConsole`. */
  token: string
  /**
   * The end of a link that logs in, to be put behind the address of the console. Empty for a token
   * of the environment, which must not get into logs.
   */
  hash: string
}

/**
 * Reads who may look from the environment of an app: `FEED_CONSOLE_TOKEN`, or during development
 * (`NODE_ENV` is not `production`) a token made of `FEED_SIGNING_SECRET`. Undefined without either:
 * mount no console then.
 */
export function accessFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): ConsoleAccess | undefined {
  const { FEED_CONSOLE_TOKEN: own, FEED_SIGNING_SECRET: secret, NODE_ENV } = env
  if (own) return { token: own, hash: '' }
  if (!secret || NODE_ENV === 'production') return undefined
  // The same after each restart, so that a page stays logged in. No delivery is signed with this
  // text, because what is signed begins with a number.
  const token = createHmac('sha256', secret).update('feed-receiver console').digest('base64url')
  return { token, hash: `#${new URLSearchParams({ token, name: 'developer' }).toString()}` }
}
