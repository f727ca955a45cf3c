import { createHmac } from 'node:crypto'

/** The values that an app needs to mount its console, and to print a link to it. */
export interface ConsoleAccess {
  /** For `createConsole`. */
  token: string
  /**
   * The end of a link that logs in. Append it to the address of the console. Empty for a token from
   * the environment, which must not get into logs.
   */
  hash: string
}

/**
 * Reads the console's token from the environment of an app: `FEED_CONSOLE_TOKEN`, or during
 * development (`NODE_ENV` is not `production`) a token derived from `FEED_SIGNING_SECRET`. Returns
 * undefined if neither is set: mount no console then.
 */
export function accessFromEnv(
  env: Readonly<Record<string, string | undefined>>,
): ConsoleAccess | undefined {
  const { FEED_CONSOLE_TOKEN: own, FEED_SIGNING_SECRET: secret, NODE_ENV } = env
  if (own) return { token: own, hash: '' }
  if (!secret || NODE_ENV === 'production') return undefined
  // The same after each restart, so that a page stays logged in. No delivery is signed with this
  // text, because signed content begins with a number.
  const token = createHmac('sha256', secret).update('feed-receiver console').digest('base64url')
  return { token, hash: `#${new URLSearchParams({ token, name: 'developer' }).toString()}` }
}
