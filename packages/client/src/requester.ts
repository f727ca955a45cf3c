import { apiErrorSchema } from '@feed-receiver/core/api'
import { systemClock } from '@feed-receiver/core/node'
import { readKey } from './api-key.ts'
import { backoffMs } from './backoff.ts'
import { checkBaseUrl, checkNumber, type ClientOptions } from './client-options.ts'
import { ClientError, refusals } from './errors.ts'
import { followSignals } from './follow-signals.ts'
import { readAllowance, readBlock, type RateLimit } from './rate-limit.ts'
import { send, type Answer } from './send.ts'
import { waitUntil } from './wait-until.ts'

export interface RequestOptions {
  /** Breaks off this request and its waits. */
  signal?: AbortSignal | undefined
  /**
   * The longest wait for a rate limit, in milliseconds; a longer one is thrown as `rate_limited`.
   * @default Infinity
   */
  maxWaitMs?: number | undefined
}

export type Requester = ReturnType<typeof createRequester>

/** Makes what all requests of one client go through, so that a limit that one meets holds for all. */
export function createRequester({
  baseUrl: givenUrl,
  apiKey,
  fetch = globalThis.fetch,
  signal: sharedSignal,
  clock = systemClock,
  maxAttempts = 6,
  timeoutMs = 30_000,
  random = Math.random,
}: ClientOptions) {
  const baseUrl = checkBaseUrl(givenUrl)
  checkNumber('maxAttempts', maxAttempts)
  checkNumber('timeoutMs', timeoutMs)
  const rateLimit: RateLimit = { usagePeriod: null, burst: null, blocked: null }
  let lastRefusedKey: string | undefined

  return {
    get,
    fetch: fetchWithin,
    rateLimit,
    /** Whether the key in use is one that was refused; sends nothing. */
    isKeyRefused: async () =>
      (await readKey(apiKey).catch(() => lastRefusedKey)) === lastRefusedKey,
    baseUrl,
    clock,
  }

  /** Gets the JSON of a 200, however often it takes; see `ClientErrorCode` for what it throws. */
  async function get(
    path: string,
    query: URLSearchParams,
    options: RequestOptions = {},
  ): Promise<unknown> {
    const url = new URL(baseUrl + path)
    url.search = query.toString()
    // A 200 that is not JSON is a proxy's page, or was cut short.
    const isGood = ({ status, body }: Answer) => status === 200 && body !== undefined
    const { body } = await request(url, {}, isGood, options)
    return body
  }

  /** A fetch within the same limits, which only throws what no other answer would better. */
  async function fetchWithin(url: URL, init: RequestInit, options: RequestOptions) {
    const isGood = ({ status }: Answer) => status < 500 && !ours.has(status)
    const answer = await request(url, init, isGood, options)
    const headers = new Headers(answer.headers)
    // The text is decoded by now.
    headers.delete('content-encoding')
    headers.delete('content-length')
    return new Response(answer.text || null, { status: answer.status, headers })
  }

  async function request(
    url: URL,
    init: RequestInit,
    isGood: (answer: Answer) => boolean,
    { signal: ownSignal, maxWaitMs = Number.POSITIVE_INFINITY }: RequestOptions,
  ): Promise<Answer> {
    const following = followSignals([sharedSignal, ownSignal])
    const { signal } = following
    const path = url.pathname
    let hasAskedAgain = false
    try {
      for (let failures = 0; ;) {
        signal.throwIfAborted()
        await passBlock(maxWaitMs, signal)
        const key = await readKey(apiKey)
        const answer = await sendHeld(url, init, key, signal)
        if ('headers' in answer) {
          noteLimits(answer)
          if (isGood(answer)) return answer
          if (answer.status === 429) continue
          if (answer.status === 401) {
            lastRefusedKey = key
            // It may have been replaced since; the same one again is not worth a request.
            const isOther = !hasAskedAgain && (await readKey(apiKey)) !== key
            hasAskedAgain = true
            if (isOther) continue
          }
          if (!isTemporary(answer.status)) throw refused(answer, path, key)
        }
        failures += 1
        if (failures >= maxAttempts) throw unavailable(path, failures, answer)
        await waitUntil(clock.now() + backoffMs(failures, random), clock, signal)
      }
    } finally {
      following.end()
    }
  }

  async function passBlock(maxWaitMs: number, signal: AbortSignal): Promise<void> {
    for (let { blocked } = rateLimit; blocked; { blocked } = rateLimit) {
      const waitMs = blocked.until.getTime() - clock.now()
      if (waitMs > maxWaitMs) throw rateLimited(blocked)
      await waitUntil(blocked.until.getTime(), clock, signal)
      if (rateLimit.blocked === blocked) rateLimit.blocked = null
    }
  }

  /** A request takes real time, and so none of a clock that is moved. */
  async function sendHeld(
    url: URL,
    init: RequestInit,
    key: string,
    signal: AbortSignal,
  ): Promise<Answer | { cause: unknown }> {
    const release = clock.hold?.()
    try {
      return await send(url, { init, key, fetch, timeoutMs, signal })
    } catch (error) {
      signal.throwIfAborted()
      return { cause: withoutKey(error, key) }
    } finally {
      release?.()
    }
  }

  function noteLimits({ status, headers }: Answer): void {
    rateLimit.usagePeriod = readAllowance(headers, 'x-ratelimit') ?? rateLimit.usagePeriod
    rateLimit.burst = readAllowance(headers, 'x-ratelimit-burst') ?? rateLimit.burst
    if (status === 429) rateLimit.blocked = readBlock(headers, clock.now())
  }
}

/** What is judged here, whoever asks. */
const ours = new Set([401, 403, 408, 429])

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 200
}

/** The error for an answer that no second try would better. */
function refused({ status, body }: Answer, path: string, key: string): ClientError {
  const [code, advice] = refusals.get(status) ?? [
    'unexpected_answer',
    'Is baseUrl the address of the service, and does it need no redirect?',
  ]
  const serviceCode = apiErrorSchema.safeParse(body).data?.code.replaceAll(key, '[key]')
  // It comes from outside, and goes into a log line.
  const said = serviceCode?.replaceAll(/[^\w.-]/g, '').slice(0, 64)
  const answer = said === undefined ? `${status}` : `${status} ${said}`
  return new ClientError(code, `The service answered ${path} with ${answer}. ${advice}`, {
    status,
    serviceCode,
  })
}

function unavailable(
  path: string,
  failures: number,
  last: Answer | { cause: unknown },
): ClientError {
  const status = 'status' in last ? last.status : undefined
  const seen = status === undefined ? 'No answer came' : `The last answer was ${status}`
  return new ClientError(
    'unavailable',
    `${path} failed ${failures} times in a row. ${seen}. Try again later.`,
    { status, ...('cause' in last && { cause: last.cause }) },
  )
}

function rateLimited({ scope, until }: { scope: string; until: Date }): ClientError {
  const name = scope === 'usage_period' ? "The month's allowance" : "The minute's allowance"
  return new ClientError(
    'rate_limited',
    `${name} is used up. Ask again at ${until.toISOString()}; asking earlier gives nothing.`,
    { status: 429, retryAt: until },
  )
}

/** A cause is for a log as well, and whatever made the request has seen the key. */
function withoutKey(error: unknown, key: string): unknown {
  const seen =
    error instanceof Error ? `${error.message} ${error.stack ?? ''} ${String(error.cause)}` : error
  return String(seen).includes(key) ? new Error('What failed has named the key.') : error
}
