import type * as OpenTelemetry from '@opentelemetry/api'

/** Where the copies of the API in a process find the SDK that the app has registered. */
const sdk = Symbol.for('opentelemetry.js.api.1')

let api: typeof OpenTelemetry | undefined

/**
 * Loads the API if the app has registered an SDK. Without one it does nothing, and its 46 files take
 * an eighth of the processor time of a start.
 */
export async function loadOpenTelemetry(): Promise<typeof OpenTelemetry | undefined> {
  if (sdk in globalThis) api ??= await import('@opentelemetry/api')
  return api
}

/** The loaded API. Once an SDK is registered, the first call starts to load it. */
export function openTelemetry(): typeof OpenTelemetry | undefined {
  if (!api && sdk in globalThis) void loadOpenTelemetry().catch(() => undefined)
  return api
}
