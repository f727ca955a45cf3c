import type { Query } from './api.ts'

const hourMs = 3_600_000

const lengthsMs = new Map([
  ['1h', hourMs],
  ['24h', 24 * hourMs],
  ['7d', 7 * 24 * hourMs],
  ['30d', 30 * 24 * hourMs],
])

/** What the server is to look for, from what a link says; a time back from now is worked out here. */
export function toFilter({
  within,
  since,
  until,
  ...others
}: Readonly<Record<string, string>>): Query {
  const length = lengthsMs.get(within ?? '')
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
