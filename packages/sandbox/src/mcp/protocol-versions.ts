/** What the MCP endpoint speaks: the stateless revision, and those that begin with a handshake (R157). */
export const protocolVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const
