import { apiErrorSchema } from '@feed-receiver/core/api'
import { systemClock } from '@feed-receiver/core/node'
import { checkBaseUrl, readKey, type ClientOptions } from './client-options.ts'
import { checkOption, ClientError, refusals } from './errors.ts'
import { readAllowance, readBlock, type RateLimit } from './rate-limit.ts'
import { send, type Answer } from './send.ts'
import { backoffMs, breakingOff, waitUntil } from './wait.ts'

export interface RequestOptions {
  /** Aborts this request and its waits. */
  signal?: AbortSignal | undefined
  /**
   * The longest wait for a rate limit, in milliseconds; a longer one throws `rate_limited`.
   * @default Infinity
   */
  maxWaitMs?: number | undefined
}

export type Requester = ReturnType<typeof createRequester>

/** Makes the shared path of all requests of one client, so that a rate limit applies to all. */
export function createRequester({
  baseUrl: givenUrl,
  apiKey,
  fetch = globalThis.fetch,
  signal: sharedSignal,
  clock = systemClock,
  maxAttempts = 6,
  timeoutMs = 30_000,
  random,
}: ClientOptions) {
  const baseUrl = checkBaseUrl(givenUrl)
  for (const [name, value] of Object.entries({ maxAttempts, timeoutMs })) {
    // A timer cannot be longer.
    const isSound = value >= 1 && value < 2 ** 31
    checkOption(isSound, `${name} must be from 1 to 2 ** 31 - 1, but it is ${value}.`)
  }
  const rateLimit: RateLimit = { usagePeriod: null, burst: null, blocked: null }
  let lastRefusedKey: string | undefined

  return {
    baseUrl,
    clock,
    rateLimit,
    isKeyRefused: async (): Promise<boolean> =>
      (await readKey(apiKey).catch(() => lastRefusedKey)) === lastRefusedKey,

    /** Gets the JSON of a 200, with retries and waits; see `ClientErrorCode` for its errors. */
    async get(
      path: string,
      parameters: QueryParameters,
      options: RequestOptions,
    ): Promise<unknown> {
      const url = new URL(baseUrl + path)
      url.search = toQuery(parameters)
      // A 200 that is not JSON is a proxy's page, or was truncated.
      const isGood = ({ status, body }: Answer) => status === 200 && body !== undefined
      const { body } = await request(url, {}, isGood, options)
      return body
    },

    /** A fetch with the same limits and retries. Returns other errors, such as 404, as answers. */
    async fetch(url: URL, init: RequestInit, options: RequestOptions): Promise<Response> {
      const isGood = ({ status }: Answer) => status < 500 && !ours.has(status)
      const { status, text, ...answer } = await request(url, init, isGood, options)
      const headers = new Headers(answer.headers)
      // The text is already decoded.
      headers.delete('content-encoding')
      headers.delete('content-length')
      return new Response(text || null, { status, headers })
    },
  }

  function request(
    url: URL,
    init: RequestInit,
    isGood: (answer: Answer) => boolean,
    { signal: ownSignal, maxWaitMs = Infinity }: RequestOptions,
  ): Promise<Answer> {
    return breakingOff([sharedSignal, ownSignal], async ({ signal }) => {
      let hasAskedAgain = false
      for (let failures = 0; ;) {
        signal.throwIfAborted()
        await passBlock(maxWaitMs, signal)
        const key = await readKey(apiKey)
        const answer = await send(url, init, { key, fetch, timeoutMs, clock, signal })
        if ('headers' in answer) {
          noteLimits(answer)
          if (isGood(answer)) return answer
          if (answer.status === 429) continue
          if (answer.status === 401) {
            lastRefusedKey = key
            // The key may have been replaced; retrying with the same one is not worth a request.
            const isOther = !hasAskedAgain && (await readKey(apiKey)) !== key
            hasAskedAgain = true
            if (isOther) continue
          }
          if (!isTemporary(answer.status)) throw refused(answer, url.pathname, key)
        }
        failures += 1
        if (failures >= maxAttempts) throw unavailable(url.pathname, failures, answer)
        await waitUntil(clock.now() + backoffMs(failures, random), clock, signal)
      }
    })
  }

  async function passBlock(maxWaitMs: number, signal: AbortSignal): Promise<void> {
    for (let { blocked } = rateLimit; blocked; { blocked } = rateLimit) {
      const waitMs = blocked.until.getTime() - clock.now()
      if (waitMs > maxWaitMs) throw rateLimited(blocked)
      await waitUntil(blocked.until.getTime(), clock, signal)
      if (rateLimit.blocked === blocked) rateLimit.blocked = null
    }
  }

  function noteLimits({ status, headers }: Answer): void {
    rateLimit.usagePeriod = readAllowance(headers, 'x-ratelimit') ?? rateLimit.usagePeriod
    rateLimit.burst = readAllowance(headers, 'x-ratelimit-burst') ?? rateLimit.burst
    if (status === 429) rateLimit.blocked = readBlock(headers, clock.now())
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
const ours = new Set([401, 403, 408, 429])

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 200
}

/** Makes the error for an answer that a retry cannot change. */
function refused({ status, body }: Answer, path: string, key: string): ClientError {
  const [code, advice] = refusals.get(status) ?? [
    'unexpected_answer',
    'Check that baseUrl is the URL of the service, without a redirect.',
  ]
  const serviceCode = apiErrorSchema.safeParse(body).data?.code.replaceAll(key, '[key]')
  // External text that goes into a log line.
  const said =
    serviceCode === undefined ? '' : ` ${serviceCode.replaceAll(/[^\w.-]/g, '').slice(0, 64)}`
  return new ClientError(code, `The service answered ${path} with ${status}${said}. ${advice}`, {
    status,
    serviceCode,
  })
}

function unavailable(
  path: string,
  failures: number,
  last: Answer | { cause: unknown },
): ClientError {
  const seen =
    'status' in last ? `The last answer was ${last.status}` : 'The service did not answer'
  const message = `${path} failed ${failures} times in a row. ${seen}. Try again later.`
  return new ClientError('unavailable', message, last)
}

function rateLimited({ scope, until }: { scope: string; until: Date }): ClientError {
  const name = scope === 'usage_period' ? 'The monthly quota' : 'The rate limit per minute'
  return new ClientError(
    'rate_limited',
    `${name} is used up. Retry at ${until.toISOString()}; the service rejects earlier requests.`,
    { status: 429, retryAt: until },
  )
}
