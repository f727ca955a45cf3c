import { z } from 'zod'

/** Which page of a list, the newest first; in a query everything is text. */
export const page = z.object({
  before: z.coerce
    .number<number>()
    .int()
    .min(1)
    .optional()
    .describe('The id or position of the last one of the page before.'),
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('The most that the page may hold; 100 if left out.'),
})

export type Page = z.infer<typeof page>
