import { z } from 'zod'

/** What the API answers in place of data: branch on `code`, or on the status (R77, R78). */
export interface ApiError {
  /** For people. */
  error: string
  /** `invalid_request` is the only documented one; the set is open (R79). */
  code: 'invalid_request' | (string & {})
}

export const apiErrorSchema = z.looseObject({
  error: z.string(),
  code: z.string(),
}) satisfies z.ZodType<ApiError>
