import { systemClock } from '@feed-receiver/core/internal'
import type { Clock } from '@feed-receiver/core/node'
import { apiErrorSchema } from './api/index.ts'
import { checkBaseUrl, readKey, type ClientOptions } from './client-options.ts'
import { checkOption, ClientError, knownErrors } from './errors.ts'
import { createRateLimiter, longestWaitMs, type RateLimit } from './rate-limit.ts'
import { send, type Answer } from './send.ts'
import { unavailable } from './unavailable.ts'
import { backoffMs, deadlineIn, unlessAborted, waitUntil, withAbort } from './wait.ts'

export interface RequestOptions {
  /** Aborts this request and its waits. */
  signal?: AbortSignal | undefined
  /**
   * The longest wait for rate limits, in milliseconds and in all; a longer one throws
   * `rate_limited`.
   * @default 31 days, the longest period
   */
  maxWaitMs?: number | undefined
}

/** The shared path of all requests of one client, so that a rate limit applies to all. */
export interface Requester {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly clock: Clock
  /** Aborts all requests. */
  readonly signal: AbortSignal | undefined
  readonly rateLimit: Readonly<RateLimit>
  /** Whether the service has rejected the current key; calls only `apiKey`, not the service. */
  isKeyRejected: () => Promise<boolean>
  /** Gets the JSON of a 200, with retries and waits; see `ClientErrorCode` for its errors. */
  get(path: string, parameters: QueryParameters, options: RequestOptions): Promise<unknown>
  /** Sends any request with the same limits and retries. Returns other errors, such as 404. */
  send(url: URL, init: RequestInit, options: RequestOptions): Promise<Answer>
}

/** Errors: `bad_option`. */
export function createRequester({
  baseUrl: givenUrl,
  apiKey,
  fetch = globalThis.fetch,
  signal: sharedSignal,
  clock = systemClock,
  maxAttempts = 6,
  timeoutMs = 30_000,
  maxAnswerBytes = 16 * 2 ** 20,
  requestsPerMinute = 120,
  random,
}: ClientOptions): Requester {
  const baseUrl = checkBaseUrl(givenUrl)
  for (const [name, value] of Object.entries({ maxAttempts, timeoutMs, maxAnswerBytes })) {
    // A timer cannot be longer.
    const isSound = value >= 1 && value < 2 ** 31
    checkOption(isSound, `${name} must be from 1 to 2 ** 31 - 1, but it is ${value}.`)
  }
  checkOption(
    requestsPerMinute >= 1,
    `requestsPerMinute must be at least 1, but it is ${requestsPerMinute}.`,
  )
  const limiter = createRateLimiter({ clock, requestsPerMinute, random })
  const sending = { fetch, timeoutMs, maxAnswerBytes, clock }
  let lastRejectedKey: string | undefined

  return {
    baseUrl,
    clock,
    signal: sharedSignal,
    rateLimit: limiter.rateLimit,
    isKeyRejected: async () =>
      (await readKey(apiKey).catch(() => lastRejectedKey)) === lastRejectedKey,

    async get(path, parameters, options) {
      const url = new URL(baseUrl + path)
      url.search = toQuery(parameters)
      // A 200 that is not JSON is a proxy's page, or was truncated.
      const isGood = ({ status, body }: Answer) => status === 200 && body !== undefined
      const { body } = await request(url, {}, isGood, options)
      return body
    },

    send: (url, init, options) =>
      request(url, init, ({ status }) => status < 500 && !handledStatuses.has(status), options),
  }

  function request(
    url: URL,
    init: RequestInit,
    isGood: (answer: Answer) => boolean,
    { signal: ownSignal, maxWaitMs = longestWaitMs }: RequestOptions,
  ): Promise<Answer> {
    return withAbort([sharedSignal, ownSignal], async ({ signal }) => {
      const currentKey = () => unlessAborted(() => readKey(apiKey), signal)
      let hasAskedAgain = false
      let waitedMs = 0
      for (let failures = 0; ;) {
        signal.throwIfAborted()
        waitedMs += await limiter.pass(maxWaitMs - waitedMs, signal)
        const key = await currentKey()
        const answer = await send(url, init, { key, ...sending, signal })
        if ('headers' in answer) {
          limiter.note(answer)
          if (isGood(answer)) return answer
          if (answer.status === 429) continue
          if (answer.status === 401) {
            lastRejectedKey = key
            // The key may have been replaced; retrying with the same one is not worth a request.
            const isOther = !hasAskedAgain && (await currentKey()) !== key
            hasAskedAgain = true
            if (isOther) continue
          }
          if (!isTemporary(answer.status)) throw rejectedBy(answer, url.pathname, key)
        }
        failures += 1
        if (failures >= maxAttempts) throw unavailable(url.pathname, failures, answer, key)
        await waitUntil(deadlineIn(backoffMs(failures, random), clock), clock, signal)
      }
    })
  }
}

type Parameter = string | number | null | undefined
type QueryParameters = Record<string, Parameter | readonly Parameter[]>

/** Formats the parameters that are set; an array repeats its parameter. */
export function toQuery(parameters: QueryParameters): string {
  const query = new URLSearchParams()
  for (const [name, given] of Object.entries(parameters)) {
    for (const value of [given].flat()) {
      if (value !== undefined && value !== null) query.append(name, String(value))
    }
  }
  return query.toString()
}

/** Statuses that this file handles for every caller. */
const handledStatuses = new Set([401, 403, 408, 429])

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 200
}

/** Makes the error for an answer that a retry cannot change. */
function rejectedBy({ status, body }: Answer, path: string, key: string): ClientError {
  const [code, fix] = knownErrors.get(status) ?? [
    'unexpected_answer',
    'Check that baseUrl is the URL of the service, without a redirect.',
  ]
  const serviceCode = apiErrorSchema.safeParse(body).data?.code.replaceAll(key, '[key]')
  // External text that goes into a log line.
  const said =
    serviceCode === undefined ? '' : ` ${serviceCode.replaceAll(/[^\w.-]/g, '').slice(0, 64)}`
  return new ClientError(code, `The service answered ${path} with ${status}${said}. ${fix}`, {
    status,
    serviceCode,
  })
}
