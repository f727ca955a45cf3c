import { z } from 'zod'

const whole = z.coerce.number<number>().int().min(1)

/** Which page of a list, the newest first; in a query everything is text. */
export const page = z.object({
  before: whole.optional().describe('The id or position of the last one of the page before.'),
  limit: whole.max(1000).optional().describe('The most that the page may hold; 100 if left out.'),
})

export type Page = z.infer<typeof page>
