import { metrics, type BatchObservableResult } from '@opentelemetry/api'
import type { InboxHealth } from './check-health.ts'
import { scope } from '../instruments.ts'

/** Shows backlog and gaps as gauges, until the function that it gives is called. */
export function observeHealth(source: string, health: () => Promise<InboxHealth>): () => void {
  const meter = metrics.getMeter(scope)
  const backlogs = meter.createObservableGauge('feed_receiver.inbox.backlog', {
    description: 'Jobs that wait and that run, counted up to 1,000.',
  })
  const gapped = meter.createObservableGauge('feed_receiver.inbox.gaps', {
    description: 'Events that only pull brought, and those that push has missed, up to 1,000.',
  })
  const gauges = [backlogs, gapped]
  const observe = async (result: BatchObservableResult) => {
    const { backlog, gaps } = await health()
    const attributes = { 'feed.source': source }
    if (backlog) {
      result.observe(backlogs, backlog.waiting.count, { ...attributes, 'feed.state': 'waiting' })
      result.observe(backlogs, backlog.running.count, { ...attributes, 'feed.state': 'running' })
    }
    if (gaps) {
      result.observe(gapped, gaps.missed.count, { ...attributes, 'feed.kind': 'missed' })
      result.observe(gapped, gaps.pullOnly.count, { ...attributes, 'feed.kind': 'pull_only' })
    }
  }
  meter.addBatchObservableCallback(observe, gauges)
  return () => meter.removeBatchObservableCallback(observe, gauges)
}
