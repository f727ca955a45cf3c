import type { Query } from './api.ts'

const lengthsMs: Record<string, number> = {
  '1h': 3_600_000,
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
  '30d': 30 * 24 * 3_600_000,
}

/** What the server is to look for, from what a link says; a time back from now is worked out here. */
export function toFilter({
  within,
  since,
  until,
  ...others
}: Readonly<Record<string, string>>): Query {
  const length = lengthsMs[within ?? '']
  return {
    ...others,
    since: length === undefined ? toIso(since) : new Date(Date.now() - length).toISOString(),
    until: length === undefined ? toIso(until) : '',
  }
}

function toIso(local: string | undefined): string {
  const at = Date.parse(local ?? '')
  return Number.isNaN(at) ? '' : new Date(at).toISOString()
}
