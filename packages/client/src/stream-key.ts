import type { EventFilter } from './events.ts'
import { toQuery } from './query.ts'

/** Names a stream: a cursor means something for its service, account, endpoint and filters only. */
export function streamKey(
  baseUrl: string,
  account: string,
  { provider, type, confirmation }: EventFilter,
): string {
  const query = toQuery({ provider, type, confirmation }).toString()
  return `${account} ${baseUrl}/v1/events${query === '' ? '' : `?${query}`}`
}
