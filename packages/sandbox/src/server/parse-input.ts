import type { z } from 'zod'
import { Refusal } from './refusals.ts'

const levels = 100

/** Input from outside, checked. @throws Refusal `bad_parameter` */
export function parseInput<Input>(schema: z.ZodType<Input>, given: unknown): Input {
  // Deeper JSON can be read, but not be written again.
  if (isNestedDeeper(given, levels)) {
    throw new Refusal('bad_parameter', { detail: `Expected JSON of at most ${levels} levels.` })
  }
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  // Which parameters are wrong and how, without what they were.
  const problems = parsed.error.issues.map(({ path, message }) => {
    const name = path.map(String).join('.')
    return name === '' ? message : `${name}: ${message}`
  })
  throw new Refusal('bad_parameter', { detail: `${problems.join('; ')}.` })
}

function isNestedDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  return Object.values(value).some((one) => isNestedDeeper(one, most - 1))
}
