import type { OptionTable } from './check-arguments.ts'
import { parseCount } from './parse-count.ts'

/** Which page of a list. */
export const pageOptions = {
  limit: { type: 'string', value: 'n', help: 'how many at once, up to 500 (50)' },
  after: { type: 'string', value: 'n', help: 'where the page before said that it ended' },
} as const satisfies OptionTable

export interface PageValues {
  limit?: string | undefined
  after?: string | undefined
}

/** Reads the page that the options name. */
export function readPage({ limit, after }: PageValues): { limit: number; after?: number } {
  return {
    limit: limit === undefined ? 50 : parseCount('--limit', limit),
    ...(after !== undefined && { after: parseCount('--after', after) }),
  }
}
