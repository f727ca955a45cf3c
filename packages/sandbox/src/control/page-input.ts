import { z } from 'zod'

/** Which page of a list: the members of a query, where everything is text. */
export const pageInput = {
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(1000).optional(),
}
