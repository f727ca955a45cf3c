import type { Clock } from '@feed-receiver/core/node'
import { checkOption } from './errors.ts'

/** The API key, or a function that returns the current key, so you can replace it without a restart. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>)

export interface ClientOptions {
  /** The base URL of the service, without `/v1/events`, which the client adds. */
  baseUrl: string | URL
  /** The API key. A function is called for each request, so you can replace the key any time. */
  apiKey: ApiKey | undefined
  /**
   * The `fetch` that sends the requests.
   * @default globalThis.fetch
   */
  fetch?: typeof globalThis.fetch | undefined
  /** Aborts all requests of this client and all waits before a retry. */
  signal?: AbortSignal | undefined
  /**
   * Measures the waits; a virtual clock makes tests fast.
   * @default the clock of the system
   */
  clock?: Clock | undefined
  /**
   * How many attempts a request gets if it fails with a transient error. Waits for rate limits do
   * not count.
   * @default 6
   */
  maxAttempts?: number | undefined
  /**
   * Time limit for one answer, including its last byte, in milliseconds of real time.
   * @default 30_000
   */
  timeoutMs?: number | undefined
  /**
   * The largest answer, in decoded bytes. A larger one throws `unexpected_answer` without a retry.
   * @default 16 MiB
   */
  maxAnswerBytes?: number | undefined
  /**
   * How many requests the client sends at most in any 60 seconds; then it waits, as for a 429.
   * `Infinity` leaves the pace to the service.
   * @default 120, the service's own limit
   */
  requestsPerMinute?: number | undefined
  /**
   * Adds jitter to the backoff; returns a number from 0 to 1.
   * @default Math.random
   */
  random?: (() => number) | undefined
  /**
   * Called with warnings: something unusual that does not stop the client.
   * @default process.emitWarning
   */
  onWarning?: ((warning: string) => void) | undefined
}

/** Returns the base URL without a trailing slash. */
export function checkBaseUrl(baseUrl: string | URL): string {
  const text = String(baseUrl)
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url?.username === '' && url.password === '' && url.search === ''
  checkOption(
    isPlain && /^https?:$/.test(url.protocol),
    'baseUrl must be the http or https URL of the service, without credentials or a query.',
  )
  const path = url.pathname.replace(/\/+$/, '')
  checkOption(
    !path.endsWith('/v1/events'),
    'baseUrl must be the address of the service. Leave out /v1/events, because the client adds it.',
  )
  return url.origin + path
}

/** Gets the current key. Errors: `bad_option`, whose message never shows the key. */
export async function readKey(apiKey: ApiKey | undefined): Promise<string> {
  const key = (typeof apiKey === 'function' ? await apiKey() : apiKey)?.trim()
  checkOption(
    key !== undefined && key !== '',
    'apiKey is missing or empty. Create a key in the developer area of the service and pass it.',
  )
  // An invalid header value would appear in the error message of `fetch`.
  checkOption(
    /^[\x21-\x7e]+$/.test(key),
    'apiKey contains a space or another character that no key has. Copy the whole key again.',
  )
  return key
}
