import type { Link, SpanContext } from '@opentelemetry/api'

/** Writes a span's context as a W3C `traceparent`; undefined without a trace. */
export function toTraceparent(context: SpanContext): string | undefined {
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  const traceparent = `00-${context.traceId}-${context.spanId}-${flags}`
  return pattern.test(traceparent) ? traceparent : undefined
}

/** Links to the span that a `traceparent` names, if it names one. */
export function linksTo(traceparent: string | null): Link[] {
  const [, traceId, spanId, flags] = pattern.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return []
  const traceFlags = Number.parseInt(flags, 16)
  return [{ context: { traceId, spanId, traceFlags, isRemote: true } }]
}

// An id of zeros alone is none.
const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
