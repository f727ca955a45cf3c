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

/** Registers an SDK of OpenTelemetry, which stores spans and metrics in memory. */
export function registerTelemetry() {
  const spans = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(spans)]
  const reader = new PeriodicExportingMetricReader({
    exporter: new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE),
    exportIntervalMillis: 3_600_000,
  })
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  return {
    spans,
    async collect() {
      const { resourceMetrics } = await reader.collect()
      return resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics)
    },
    async unregister() {
      await reader.shutdown()
      trace.disable()
      metrics.disable()
    },
  }
}
