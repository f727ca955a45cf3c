import { metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import type { MeterProvider, Span, SpanOptions } from '@opentelemetry/api'

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

type Instruments = ReturnType<typeof makeInstruments>

// By provider: an SDK may be registered after the first delivery, and making them takes time.
const made = new WeakMap<MeterProvider, Instruments>()

/** The counters of all inboxes of this process. They do nothing where no SDK is registered. */
export function instruments(): Instruments {
  const provider = metrics.getMeterProvider()
  const known = made.get(provider)
  if (known) return known
  const fresh = makeInstruments(provider)
  made.set(provider, fresh)
  return fresh
}

function makeInstruments(provider: MeterProvider) {
  const meter = provider.getMeter(scope)
  const counter = (name: string, description: string) =>
    meter.createCounter(`feed_receiver.inbox.${name}`, { description })
  return {
    deliveries: counter(
      'deliveries',
      'Authentic deliveries, by outcome: stored, duplicate or quarantined.',
    ),
    pulled: counter('pulled', 'Events that pull brought, by outcome: stored or revised.'),
    handled: counter(
      'handled',
      'Attempts at entries, by outcome: done, skipped or failed; and entries dead.',
    ),
    handlerSeconds: meter.createHistogram('feed_receiver.inbox.handler.duration', {
      description: 'How long attempts took, their commit included.',
      unit: 's',
    }),
  }
}
