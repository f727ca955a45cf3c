import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it, onTestFinished } from 'vitest'
import { deliveryOf } from '../../../../test/contract/delivery-inbox.ts'
import { makeEvent } from '../../../../test/contract/harness.ts'
import { useDatabase } from '../../../../test/support/databases.ts'
import { createInbox, shardInbox } from '../index.ts'

const database = useDatabase('postgres')

it('measures the backlog of all shards under one source', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  const inboxes = ['one', 'two', 'three'].map((schema) =>
    createInbox({ database: database(), schema }),
  )
  const inbox = shardInbox(inboxes)
  onTestFinished(async () => {
    await inbox.stop()
    await reader.shutdown()
    metrics.disable()
  })
  await inbox.start()
  for (let stored = 0; stored < 12; stored += 1) await inbox.accept(deliveryOf(makeEvent()))
  const counts = await Promise.all(inboxes.map((one) => one.entries.count()))
  expect(Math.max(...counts.map(({ count }) => count))).toBeLessThan(12)

  const { resourceMetrics } = await reader.collect()
  const measured = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
  const backlog = measured.find(({ descriptor }) => descriptor.name.endsWith('.backlog'))
  const points = backlog?.dataPoints.map(({ attributes, value }) => [
    attributes['feed.state'],
    value,
  ])
  expect(Object.fromEntries(points ?? [])).toEqual({ waiting: 12, running: 0 })
}, 60_000)
