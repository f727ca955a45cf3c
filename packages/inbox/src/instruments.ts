import {
  metrics,
  SpanStatusCode,
  trace,
  type Counter,
  type Histogram,
  type MeterProvider,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api'

/** The name under which all of this is seen. */
export const scope = '@feed-receiver/inbox'

/** Runs a function inside a span, which ends with it and has its error. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  run: (span: Span) => Promise<T>,
): Promise<T> {
  return trace.getTracer(scope).startActiveSpan(name, options, async (span) => {
    try {
      return await run(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof Error) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

export interface Instruments {
  deliveries: Counter
  pulled: Counter
  handled: Counter
  handlerSeconds: Histogram
}

// By provider: an SDK may be registered after the first delivery, and making them takes time.
const made = new WeakMap<MeterProvider, Instruments>()

/** The counters of all inboxes of this process. They do nothing where no SDK is registered. */
export function instruments(): Instruments {
  const provider = metrics.getMeterProvider()
  const known = made.get(provider)
  if (known) return known
  const meter = provider.getMeter(scope)
  const fresh = {
    deliveries: meter.createCounter('feed_receiver.inbox.deliveries', {
      description: 'Authentic deliveries, by outcome: stored, duplicate or quarantined.',
    }),
    pulled: meter.createCounter('feed_receiver.inbox.pulled', {
      description: 'Events that pull brought, by outcome: stored or revised.',
    }),
    handled: meter.createCounter('feed_receiver.inbox.handled', {
      description: 'Attempts at entries, by outcome: done, skipped or failed; and entries dead.',
    }),
    handlerSeconds: meter.createHistogram('feed_receiver.inbox.handler.duration', {
      description: 'How long attempts took, their commit included.',
      unit: 's',
    }),
  }
  made.set(provider, fresh)
  return fresh
}
