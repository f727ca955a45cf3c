import type { EventDelivery } from '@feed-receiver/core'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Acceptance } from './accept-group.ts'
import { instruments, scope } from '../instruments.ts'
import { toTraceparent } from '../entry/trace-context.ts'

/**
 * Accepts a delivery within a span of its own, whose context is kept with the delivery's headers, so
 * that the runs of its handler can be linked to it days later.
 */
export async function traceAccept(
  delivery: EventDelivery,
  source: string,
  accept: (delivery: EventDelivery) => Promise<Acceptance>,
): Promise<Acceptance> {
  const { id, type } = delivery.event
  const attributes = { 'feed.source': source, 'feed.event.id': id, 'feed.event.type': type }
  const options = { kind: SpanKind.PRODUCER, attributes }
  return await trace.getTracer(scope).startActiveSpan('inbox accept', options, async (span) => {
    try {
      const traceparent = toTraceparent(span.spanContext())
      const outcome = await accept(traceparent ? keepTrace(delivery, traceparent) : delivery)
      span.setAttribute('feed.outcome', nameOf(outcome))
      countDelivery(source, nameOf(outcome))
      return outcome
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof Error) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Counts one delivery by what became of it. */
export function countDelivery(source: string, outcome: OutcomeName): void {
  instruments().deliveries.add(1, { 'feed.source': source, 'feed.outcome': outcome })
}

type OutcomeName = 'stored' | 'duplicate' | 'quarantined'

function nameOf(outcome: Acceptance): OutcomeName {
  return typeof outcome === 'string' ? outcome : 'quarantined'
}

/** Counts what a page of the pull API has brought. */
export function countPulled(source: string, page: { stored: number; revised: number }): void {
  const labels = { 'feed.source': source }
  instruments().pulled.add(page.stored, { ...labels, 'feed.outcome': 'stored' })
  instruments().pulled.add(page.revised, { ...labels, 'feed.outcome': 'revised' })
}

function keepTrace(delivery: EventDelivery, traceparent: string): EventDelivery {
  return { ...delivery, headers: { ...delivery.headers, traceparent } }
}
