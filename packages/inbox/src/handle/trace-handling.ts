import type { FeedEvent } from '@feed-receiver/core'
import { SpanKind } from '@opentelemetry/api'
import { inSpan, instruments } from '../instruments.ts'
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
  const options = { kind: SpanKind.CONSUMER, root: true, links: linksTo(traceparent), attributes }
  await inSpan('inbox handle', options, async (span) => {
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
    } catch (error) {
      end('failed')
      throw error
    }
    end(outcome)
  })
}
