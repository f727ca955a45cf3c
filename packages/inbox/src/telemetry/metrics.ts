import { isSameSecret } from '@feed-receiver/core/node'
import { checkOption, codeOf, InboxError } from '../errors.ts'
import { measureInto } from './instruments.ts'
import type { InboxHealth } from '../health/health.ts'
import { observeHealth } from './observe-health.ts'

/** An inbox to measure, from `createInbox` or `shardInbox`. */
export interface MeasuredInbox {
  readonly source: string
  /** Tells inboxes of one source apart. */
  readonly instance?: string | undefined
  health(): Promise<InboxHealth>
}

export interface MetricsOptions {
  /**
   * Requests must send it as `Authorization: Bearer <token>`; the route answers others with 401. An
   * empty or undefined token throws.
   * @default without this option the route is public
   */
  token?: string | undefined
}

const healthForMs = 1_000
const collectTimeoutMs = 4_900

/**
 * Creates a route that serves the metrics of one or several inboxes in the Prometheus text format.
 * It measures from its creation on, so create it when the app starts. Needs the packages
 * `@opentelemetry/sdk-metrics` and `@opentelemetry/exporter-prometheus`. Without them it warns, and
 * every request rejects with `metrics_missing`. Other errors: `bad_option`.
 */
export function metricsHandler(
  inbox: MeasuredInbox | readonly MeasuredInbox[],
  options: MetricsOptions = {},
): (request: Request) => Promise<Response> {
  const { token } = options
  // An unset environment variable must not open the route.
  checkOption(
    !('token' in options) || Boolean(token),
    'token: it is empty or not set. Set it, or leave the option out to let anybody read.',
  )
  const measuring = measure([inbox].flat())
  measuring.catch((error: unknown) => process.emitWarning(String(error), 'FeedInboxWarning'))

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(405, 'Read metrics with GET.\n', { allow: 'GET, HEAD' })
    }
    if (token !== undefined && !isBearer(request.headers.get('authorization'), token)) {
      return answer(401, 'Send the token: Authorization: Bearer <token>.\n', {
        'www-authenticate': 'Bearer',
      })
    }
    const read = await measuring
    return answer(200, await read())
  }
}

/** Measures into a provider of its own, and returns the function that reads it. */
async function measure(inboxes: readonly MeasuredInbox[]): Promise<() => Promise<string>> {
  const { AggregationTemporality, InstrumentType, MeterProvider, MetricReader } = await installed(
    '@opentelemetry/sdk-metrics',
    () => import('@opentelemetry/sdk-metrics'),
  )
  const { PrometheusSerializer } = await installed(
    '@opentelemetry/exporter-prometheus',
    () => import('@opentelemetry/exporter-prometheus'),
  )
  class ScrapeReader extends MetricReader {
    protected async onShutdown(): Promise<void> {}
    protected async onForceFlush(): Promise<void> {}
  }
  const reader = new ScrapeReader({
    // Otherwise a gauge that could not be read keeps its last value.
    aggregationTemporalitySelector: (type) =>
      type === InstrumentType.OBSERVABLE_GAUGE
        ? AggregationTemporality.DELTA
        : AggregationTemporality.CUMULATIVE,
  })
  const provider = new MeterProvider({ readers: [reader] })
  measureInto(provider, new Set(inboxes.map(({ source }) => source)))
  for (const inbox of inboxes) observeHealth(provider, inbox, rememberFor(inbox.health))
  // Leaves out scope and target, because the metric names already contain them.
  const serializer = new PrometheusSerializer('', false, undefined, true, true)

  return async () => {
    const { resourceMetrics } = await reader.collect({ timeoutMillis: collectTimeoutMs })
    return serializer.serialize(resourceMetrics)
  }
}

/** Concurrent scrapes, and scrapes in quick succession, share one database query. */
function rememberFor(health: () => Promise<InboxHealth>): () => Promise<InboxHealth> {
  let reading: Promise<InboxHealth> | undefined
  let readAt = -Infinity
  return () => {
    const now = performance.now()
    if (!reading || now - readAt > healthForMs) {
      readAt = now
      reading = health()
    }
    return reading
  }
}

async function installed<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new InboxError(
      'metrics_missing',
      `metricsHandler needs ${name}, which is not installed. Run \`npm install @opentelemetry/sdk-metrics@^2.12.1 @opentelemetry/exporter-prometheus@~0.223.0\`.`,
      { cause: error },
    )
  }
}

function isBearer(header: string | null, token: string): boolean {
  return isSameSecret(/^Bearer +(\S+)$/i.exec(header ?? '')?.[1], token)
}

function answer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  })
}
