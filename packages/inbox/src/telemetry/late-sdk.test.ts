import { metrics, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, it, vi } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'

const database = useDatabase('postgres', 'inbox')

afterAll(() => {
  trace.disable()
  metrics.disable()
})

it('loads the API once an SDK is registered, also after the start', async () => {
  // Another test of this process may have registered an SDK, and the kit then loaded the API.
  vi.resetModules()
  Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'))
  const { createInbox } = await import('../index.ts')
  const { openTelemetry } = await import('./opentelemetry.ts')
  const inbox = createInbox({ database: database() })
  await inbox.start()
  expect(await inbox.accept(deliveryOf(makeEvent()))).toBe('stored')
  expect(openTelemetry()).toBe(undefined)

  const spans = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(spans)]
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  })
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  await expect
    .poll(async () => {
      await inbox.accept(deliveryOf(makeEvent()))
      return spans.getFinishedSpans().map(({ name }) => name)
    })
    .toContain('inbox accept')
  const { resourceMetrics } = await reader.collect()
  const names = resourceMetrics.scopeMetrics.flatMap(({ metrics: all }) =>
    all.map(({ descriptor }) => descriptor.name),
  )
  expect(names).toContain('feed_receiver.inbox.deliveries')
  await inbox.stop()
  await reader.shutdown()
})
