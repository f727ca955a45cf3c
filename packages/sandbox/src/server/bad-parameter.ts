import type { z } from 'zod'
import { Refusal } from './refusals.ts'

/** Says which parameters are wrong and how, without what they were. */
export function badParameter(error: z.ZodError): Refusal {
  const problems = error.issues.map(({ path, message }) => {
    const name = path.map(String).join('.')
    return name === '' ? message : `${name}: ${message}`
  })
  return new Refusal('bad_parameter', { detail: `${problems.join('; ')}.` })
}
