import type { Attributes, MeterProvider, BatchObservableResult } from '@opentelemetry/api'
import { prefix, scope } from './instruments.ts'
import type { InboxHealth } from '../admin/health.ts'
import { problemCodes } from '../admin/problems.ts'

type Look = (value: number, attributes?: Attributes) => void

interface Gauge {
  name: string
  description: string
  unit?: string
  observe(health: InboxHealth, look: Look): void
}

/** The health as gauges. A value that could not be read is left out. */
const gauges: readonly Gauge[] = [
  {
    name: 'up',
    description: '1 if the inbox runs and its database answers, else 0.',
    observe: ({ database }, look) => look(database === 'up' ? 1 : 0),
  },
  {
    name: 'problems',
    description: '1 for each current problem or warning of the health, by code, else 0.',
    observe: ({ problems, warnings }, look) => {
      const codes = new Set<string>([...problems, ...warnings].map(({ code }) => code))
      // An SDK keeps the last value of a gauge until it is reported again.
      for (const code of problemCodes) look(codes.has(code) ? 1 : 0, { 'feed.code': code })
    },
  },
  {
    name: 'backlog',
    description: 'Waiting and running events, counted up to 1,000.',
    observe: ({ backlog }, look) => {
      if (!backlog) return
      look(backlog.waiting.count, { 'feed.state': 'waiting' })
      look(backlog.running.count, { 'feed.state': 'running' })
    },
  },
  {
    name: 'backlog.age',
    description:
      'Age of the oldest pending entry, without reprocessed events; 0 if none is pending.',
    unit: 's',
    observe: ({ backlog }, look) => backlog && look(backlog.oldestAgeSeconds ?? 0),
  },
  {
    name: 'backlog.paused',
    description: 'Due jobs that are paused, counted up to 1,000.',
    observe: ({ backlog }, look) => backlog && look(backlog.paused.count),
  },
  {
    name: 'paused',
    description: 'Current pauses: of the whole inbox (0 or 1), and the number of paused types.',
    observe: ({ pauses }, look) => {
      if (!pauses) return
      const types = pauses.filter(({ type }) => type !== null).length
      look(pauses.length - types, { 'feed.scope': 'inbox' })
      look(types, { 'feed.scope': 'types' })
    },
  },
  {
    name: 'dead',
    description: 'Dead entries, counted up to 1,000.',
    observe: ({ dead }, look) => dead && look(dead.count),
  },
  {
    name: 'quarantined',
    description: 'Open deliveries in quarantine, counted up to 1,000.',
    observe: ({ quarantined }, look) => quarantined && look(quarantined.count),
  },
  {
    name: 'gaps',
    description: 'Events that only pull brought, and events that push missed, counted up to 1,000.',
    observe: ({ gaps }, look) => {
      if (!gaps) return
      look(gaps.missed.count, { 'feed.kind': 'missed' })
      look(gaps.pullOnly.count, { 'feed.kind': 'pull_only' })
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
