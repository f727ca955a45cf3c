import { isError } from '@feed-receiver/core/internal'
import type { Attributes, Meter, MeterProvider, Span, SpanOptions } from '@opentelemetry/api'
import { openTelemetry } from './opentelemetry.ts'

export const scope = '@feed-receiver/inbox'
export const prefix = 'feed_receiver.inbox.'

/**
 * Runs a function inside a span, which ends with it and records its error. Without an SDK there is
 * no span.
 */
export async function inSpan<T>(
  name: string,
  { kind, ...options }: Omit<SpanOptions, 'kind'> & { kind: 'PRODUCER' | 'CONSUMER' },
  run: (span?: Span) => Promise<T>,
): Promise<T> {
  const api = openTelemetry()
  if (!api) return await run()
  const { SpanKind, SpanStatusCode, trace } = api
  const ofKind = { ...options, kind: SpanKind[kind] }
  return await trace.getTracer(scope).startActiveSpan(name, ofKind, async (span) => {
    try {
      return await run(span)
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      if (isError(error)) span.recordException(error)
      throw error
    } finally {
      span.end()
    }
  })
}

type Measure = (value: number, attributes: { 'feed.source': string } & Attributes) => void

type Counters = 'deliveries' | 'rejected' | 'pulled' | 'handled'
type Histograms = 'answerSeconds' | 'storeSeconds' | 'groupSize' | 'claimSeconds' | 'handlerSeconds'

/** What each of them measures is its description. */
interface Instruments
  extends Record<Counters, { add: Measure }>, Record<Histograms, { record: Measure }> {}

// On the global object, because a bundler may put this file into two bundles of one app.
const key = Symbol.for('@feed-receiver/inbox/meter-providers')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the member is our own
const shared = globalThis as { [key]?: Map<MeterProvider, ReadonlySet<string>> }
const others = (shared[key] ??= new Map())

/** Measures these sources into a provider from now on, beside that of the app. */
export function measureInto(provider: MeterProvider, sources: ReadonlySet<string>): void {
  others.set(provider, sources)
}

let made: { app: MeterProvider | undefined; others: number; instruments: Instruments } | undefined

/**
 * The instruments of all inboxes of this process. Without an SDK they do nothing. The SDK may be
 * registered after the first delivery.
 */
export function instruments(): Instruments {
  const app = openTelemetry()?.metrics.getMeterProvider()
  if (made && made.app === app && made.others === others.size) return made.instruments
  const meters: Measured[] = app ? [{ meter: app.getMeter(scope) }] : []
  for (const [provider, sources] of others)
    meters.push({ meter: provider.getMeter(scope), sources })
  made = { app, others: others.size, instruments: makeInstruments(meters) }
  return made.instruments
}

/** Buckets in seconds for waits of senders and workers. */
const waits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Buckets in seconds for handlers, which may take 15 minutes. */
const runs = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
const groupSizes = [1, 2, 5, 10, 20, 50, 100]

/** A meter, and its sources; all if undefined. */
interface Measured {
  meter: Meter
  sources?: ReadonlySet<string>
}

function makeInstruments(meters: readonly Measured[]): Instruments {
  const counter = (name: string, description: string) => ({
    add: onEach((meter) => {
      const one = meter.createCounter(prefix + name, { description })
      return one.add.bind(one)
    }),
  })
  const histogram = (
    name: string,
    description: string,
    explicitBucketBoundaries: number[],
    unit = 's',
  ) => {
    const options = { description, unit, advice: { explicitBucketBoundaries } }
    const record = onEach((meter) => {
      const one = meter.createHistogram(prefix + name, options)
      return one.record.bind(one)
    })
    return { record }
  }
  const onEach = (make: (meter: Meter) => Measure): Measure => {
    const all = meters.map(({ meter, sources }) => ({ measure: make(meter), sources }))
    return (value, attributes) => {
      for (const { measure, sources } of all) {
        if (!sources || sources.has(attributes['feed.source'])) measure(value, attributes)
      }
    }
  }
  return {
    deliveries: counter(
      'deliveries',
      'Authentic deliveries, by outcome: stored, duplicate or quarantined.',
    ),
    rejected: counter('rejected', 'Rejected deliveries, by reason.'),
    pulled: counter('pulled', 'Events that pull brought, by outcome: stored or revised.'),
    handled: counter(
      'handled',
      'Attempts, by outcome: done, skipped or failed; dead counts entries.',
    ),
    answerSeconds: histogram(
      'answer.duration',
      'Time from the headers of a delivery to the answer of the receiver.',
      waits,
    ),
    storeSeconds: histogram('store.duration', 'Time until a delivery was committed.', waits),
    groupSize: histogram('group.size', 'Deliveries per commit.', groupSizes, '1'),
    claimSeconds: histogram(
      'claim.delay',
      'Time from the claim of an entry to the start of its handler.',
      waits,
    ),
    handlerSeconds: histogram(
      'handler.duration',
      'Duration of an attempt, including its commit.',
      runs,
    ),
  }
}

/** Counts a stored delivery, and measures how long that took. */
export function measureStored(source: string, outcome: string, startedAt: number): void {
  const { deliveries, storeSeconds } = instruments()
  const labels = { 'feed.source': source, 'feed.outcome': outcome }
  deliveries.add(1, labels)
  storeSeconds.record((performance.now() - startedAt) / 1_000, labels)
}
