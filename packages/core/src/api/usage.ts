import { z } from 'zod'

/** What the account, all its keys together, has used of its month (R51–R55). */
export interface Usage {
  /** Requests so far, the one that is answered included. */
  requests: number
  limit: number
  /** The month, as `YYYY-MM`. */
  period: string
  resetsAt: string
}

export const usageSchema = z.looseObject({
  requests: z.int().min(0),
  limit: z.int().min(1),
  period: z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'expected YYYY-MM'),
  resetsAt: z.iso.datetime({ offset: true }),
}) satisfies z.ZodType<Usage>
