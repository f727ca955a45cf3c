import { usageSchema } from '@feed-receiver/core/api'
import { z } from 'zod'

/** What the account has used of its month, in every answer. */
export const usage = z.object(usageSchema.shape)

export const pageLimit = z
  .int()
  .min(1)
  .max(200)
  .default(50)
  .describe('The most that the page may hold.')

/** A page as every tool that has pages answers it. */
export function pageOf(item: z.ZodType) {
  return z.object({
    data: z.array(item),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    usage,
  })
}

export function sayPage(
  what: string,
  lines: readonly string[],
  { nextCursor, hasMore }: { nextCursor: string; hasMore: boolean },
): string {
  const next = `${hasMore ? 'There are more.' : 'No more for now.'} Next cursor: ${nextCursor}`
  return [`${lines.length} ${what}.`, ...lines, next].join('\n')
}
