import type { FeedEvent } from '@feed-receiver/core'
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { instruments, scope } from '../instruments.ts'
import { linksTo } from '../entry/trace-context.ts'

export interface Handling {
  source: string
  event: FeedEvent
  attempt: number
  /** What it comes to where it succeeds. */
  outcome: 'done' | 'skipped'
  /** The span in which the event was accepted. */
  traceparent: string | null
}

/** Makes one attempt at an entry, its commit included, within a span that links to its acceptance. */
export async function traceHandling(
  { source, event, attempt, outcome, traceparent }: Handling,
  handle: () => Promise<void>,
): Promise<void> {
  const attributes = {
    'feed.source': source,
    'feed.event.id': event.id,
    'feed.event.type': event.type,
    'feed.attempt': attempt,
  }
  const links = linksTo(traceparent)
  const options = { kind: SpanKind.CONSUMER, root: true, links, attributes }
  await trace.getTracer(scope).startActiveSpan('inbox handle', options, async (span) => {
    const startedAt = performance.now()
    const end = (reached: 'done' | 'skipped' | 'failed') => {
      const seconds = (performance.now() - startedAt) / 1_000
      const labels = { 'feed.source': source, 'feed.outcome': reached }
      instruments().handlerSeconds.record(seconds, labels)
      instruments().handled.add(1, labels)
      span.setAttribute('feed.outcome', reached)
    }
    try {
      await handle()
      end(outcome)
    } catch (error) {
      end('failed')
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (error instanceof Error) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** Counts one entry whose tries are used up. */
export function countDead(source: string): void {
  instruments().handled.add(1, { 'feed.source': source, 'feed.outcome': 'dead' })
}
