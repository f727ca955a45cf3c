import { isSpanContextValid, type Link, type SpanContext } from '@opentelemetry/api'

/** Writes a span's context as a W3C `traceparent`; undefined without a trace. */
export function toTraceparent(context: SpanContext): string | undefined {
  if (!isSpanContextValid(context)) return undefined
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  return `00-${context.traceId}-${context.spanId}-${flags}`
}

/** Links to the span that a `traceparent` names, if it names one. */
export function linksTo(traceparent: string | null): Link[] {
  const [, traceId, spanId, flags] = pattern.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(context) ? [{ context }] : []
}

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
