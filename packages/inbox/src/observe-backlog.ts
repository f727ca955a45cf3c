import { metrics, type ObservableResult } from '@opentelemetry/api'
import type { InboxHealth } from './check-health.ts'
import { scope } from './instruments.ts'

/** Shows the backlog as a gauge, until the function that it gives is called. */
export function observeBacklog(source: string, health: () => Promise<InboxHealth>): () => void {
  const gauge = metrics.getMeter(scope).createObservableGauge('feed_receiver.inbox.backlog', {
    description: 'Jobs that wait and that run, counted up to 1,000.',
  })
  const observe = async (result: ObservableResult) => {
    const { backlog } = await health()
    if (!backlog) return
    const attributes = { 'feed.source': source }
    result.observe(backlog.waiting.count, { ...attributes, 'feed.state': 'waiting' })
    result.observe(backlog.running.count, { ...attributes, 'feed.state': 'running' })
  }
  gauge.addCallback(observe)
  return () => gauge.removeCallback(observe)
}
