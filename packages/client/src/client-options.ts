import type { Clock } from '@feed-receiver/core/node'
import { checkOption } from './errors.ts'

/** The key, or a function that gives the one in use, which may change without a restart. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>)

export interface ClientOptions {
  /** The address of the service, without `/v1`. */
  baseUrl: string | URL
  /** The API key; as a function it is asked for each request, so that it may change meanwhile. */
  apiKey: ApiKey | undefined
  /**
   * Makes the requests.
   * @default globalThis.fetch
   */
  fetch?: typeof globalThis.fetch | undefined
  /** Breaks off all requests of this client, and their waits. */
  signal?: AbortSignal | undefined
  /**
   * Decides how long waits are; a virtual one makes tests quick.
   * @default systemClock
   */
  clock?: Clock | undefined
  /**
   * How often a request is made that fails for a passing reason; waits for rate limits do not count.
   * @default 6
   */
  maxAttempts?: number | undefined
  /**
   * How long one answer may take, its last byte included, in milliseconds of real time.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * Spreads the backoff: called for a number from 0 to 1.
   * @default Math.random
   */
  random?: (() => number) | undefined
  /**
   * Told of what is out of the ordinary and no reason to stop.
   * @default process.emitWarning
   */
  onWarning?: ((warning: string) => void) | undefined
}

/** The address without a slash at its end. */
export function checkBaseUrl(baseUrl: string | URL): string {
  const text = String(baseUrl)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === ''
  checkOption(
    isPlain && /^https?:$/.test(url.protocol),
    'baseUrl: use the http or https address of the service, without credentials and query.',
  )
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Asks for the key in use. Errors: `bad_option`, which never shows it. */
export async function readKey(apiKey: ApiKey | undefined): Promise<string> {
  const key = (typeof apiKey === 'function' ? await apiKey() : apiKey)?.trim()
  checkOption(
    key !== undefined && key !== '',
    'apiKey: there is none. Create a key in the developer area of the service, and set it.',
  )
  // What cannot stand in a header would be shown by the error about it.
  checkOption(
    /^[\x21-\x7e]+$/.test(key),
    'apiKey: this is no key, since it holds spaces or other characters that no key has. ' +
      'Copy the whole key again.',
  )
  return key
}
