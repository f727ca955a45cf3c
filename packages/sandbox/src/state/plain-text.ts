import { z } from 'zod'

/** Text that PostgreSQL can hold, which is neither NUL nor half a character, and that fits a line. */
export function plainText(max: number): z.ZodString {
  const pattern = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${max}}$`, 'u')
  return z.string().regex(pattern, `expected 1 to ${max} characters, none of control`)
}
