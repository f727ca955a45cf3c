/** The stateless revision, and those that begin with a handshake (R157). */
const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

/** What an agent needs to begin (R141). */
export function discoveryManifest(baseUrl: string) {
  return {
    name: 'Source-linked AI provider change feed (sandbox)',
    apiVersion: '1.0.0',
    documentation: `${baseUrl}/developers`,
    openapi: `${baseUrl}/v1/schema.json`,
    auth: { scheme: 'bearer', bearerEnv: 'FEED_API_KEY', keyPrefix: 'feed_live_' },
    polling: { intervalSeconds: 60, firstRunLimit: 50, maxLimit: 200 },
    cursor: {
      opaque: true,
      persistAfterProcessing: true,
      orderWithoutCursor: 'newest_first',
      orderWithCursor: 'oldest_first',
    },
    limits: {
      requestsPerMonth: 100_000,
      requestsPerMinute: 120,
      requestCost: 1,
      countsFailedValidation: true,
    },
    mcp: { url: `${baseUrl}/mcp`, protocolVersions },
    webhooks: {
      schemaVersion: '1.0',
      signatureHeader: 'Feed-Signature',
      replayWindowSeconds: 300,
    },
  }
}
