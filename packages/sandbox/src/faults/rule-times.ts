import { z } from 'zod'

/** How often a rule happens; left out, it happens until it is removed. */
export const ruleTimes = z
  .int('expected a whole number')
  .min(1, 'expected 1 or more; leave it out for always')
  .max(1_000_000)
  .optional()
