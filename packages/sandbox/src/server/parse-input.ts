import type { z } from 'zod'
import { badParameter } from './bad-parameter.ts'

/** The parameters of a request, checked. @throws Refusal `bad_parameter` */
export function parseQuery<Query>(schema: z.ZodType<Query>, given: unknown): Query {
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw badParameter(parsed.error)
  return parsed.data
}
