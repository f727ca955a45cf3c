import type { z } from 'zod'
import { badParameter } from './bad-parameter.ts'
import { isNestedDeeper } from './nesting.ts'
import { Refusal } from './refusals.ts'

const levels = 100

/** What came from outside, checked. @throws Refusal `bad_parameter` */
export function parseInput<Input>(schema: z.ZodType<Input>, given: unknown): Input {
  // Deeper JSON can be read, but not be written again.
  if (isNestedDeeper(given, levels)) {
    throw new Refusal('bad_parameter', { detail: `Expected JSON of at most ${levels} levels.` })
  }
  const parsed = schema.safeParse(given)
  if (!parsed.success) throw badParameter(parsed.error)
  return parsed.data
}
