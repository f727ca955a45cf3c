import type { z } from 'zod'
import { badParameter } from './bad-parameter.ts'

/** What came from outside, checked. @throws Refusal `bad_parameter` */
export function parseInput<Input>(schema: z.ZodType<Input>, given: unknown): Input {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw badParameter(parsed.error)
  return parsed.data
}
