import type { Attributes, MeterProvider, BatchObservableResult } from '@opentelemetry/api'
import { prefix, scope } from './instruments.ts'
import type { InboxHealth } from '../health/health.ts'
import { problemCodes } from '../health/problems.ts'

type Report = (value: number, attributes?: Attributes) => void

interface Gauge {
  name: string
  description: string
  unit?: string
  observe(health: InboxHealth, report: Report): void
}

/** The health as gauges. A value that could not be read is left out. */
const gauges: readonly Gauge[] = [
  {
    name: 'up',
    description: '1 if the inbox runs and its database answers, else 0.',
    observe: ({ database }, report) => report(database === 'up' ? 1 : 0),
  },
  {
    name: 'problems',
    description: '1 for each current problem or warning of the health, by code, else 0.',
    observe: ({ problems, warnings }, report) => {
      const codes = new Set<string>([...problems, ...warnings].map(({ code }) => code))
      // An SDK keeps the last value of a gauge until it is reported again.
      for (const code of problemCodes) report(codes.has(code) ? 1 : 0, { 'feed.code': code })
    },
  },
  {
    name: 'backlog',
    description: 'Waiting and running events, counted up to 1,000.',
    observe: ({ backlog }, report) => {
      if (!backlog) return
      report(backlog.waiting.count, { 'feed.state': 'waiting' })
      report(backlog.running.count, { 'feed.state': 'running' })
    },
  },
  {
    name: 'backlog.age',
    description:
      'Age of the oldest pending entry, also while it waits for a retry, without reprocessed events; 0 if none is pending.',
    unit: 's',
    observe: ({ backlog }, report) => backlog && report(backlog.oldestAgeSeconds ?? 0),
  },
  {
    name: 'backlog.paused',
    description: 'Due jobs that are paused, counted up to 1,000.',
    observe: ({ backlog }, report) => backlog && report(backlog.paused.count),
  },
  {
    name: 'paused',
    description: 'Current pauses: of the whole inbox (0 or 1), and the number of paused types.',
    observe: ({ pauses }, report) => {
      if (!pauses) return
      const types = pauses.filter(({ type }) => type !== null).length
      report(pauses.length - types, { 'feed.scope': 'inbox' })
      report(types, { 'feed.scope': 'types' })
    },
  },
  {
    name: 'dead',
    description: 'Dead entries, counted up to 1,000.',
    observe: ({ dead }, report) => dead && report(dead.count),
  },
  {
    name: 'quarantined',
    description: 'Open deliveries in quarantine, counted up to 1,000.',
    observe: ({ quarantined }, report) => quarantined && report(quarantined.count),
  },
  {
    name: 'gaps',
    description: 'Events that only pull brought, and events that push missed, counted up to 1,000.',
    observe: ({ gaps }, report) => {
      if (!gaps) return
      report(gaps.missed.count, { 'feed.kind': 'missed' })
      report(gaps.pullOnly.count, { 'feed.kind': 'pull_only' })
    },
  },
]

/** What tells the gauges of inboxes apart. */
interface Observed {
  source: string
  instance?: string | undefined
}

/** Reports the health as gauges of a provider, until the returned function is called. */
export function observeHealth(
  provider: MeterProvider,
  { source, instance }: Observed,
  health: () => Promise<InboxHealth>,
): () => void {
  const own = {
    'feed.source': source,
    ...(instance !== undefined && { 'feed.instance': instance }),
  }
  const meter = provider.getMeter(scope)
  const made = gauges.map(({ name, description, unit = '', observe }) => {
    const gauge = meter.createObservableGauge(prefix + name, { description, unit })
    return { gauge, observe }
  })
  const observed = made.map(({ gauge }) => gauge)
  const observeAll = async (result: BatchObservableResult) => {
    const seen = await health()
    for (const { gauge, observe } of made) {
      observe(seen, (value, attributes) => result.observe(gauge, value, { ...own, ...attributes }))
    }
  }
  meter.addBatchObservableCallback(observeAll, observed)
  return () => meter.removeBatchObservableCallback(observeAll, observed)
}
