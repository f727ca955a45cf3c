import { accountEventTypes, accountSubjectTypes } from '@feed-receiver/core/api'
import { z } from 'zod'
import { cursorParameter, pageSize } from '../server/query-parameters.ts'

/** The parameters of /v1/account-events. Others are ignored, as those of /v1/events are. */
export const accountEventParameters = {
  limit: pageSize(100).describe('The most events that the page may hold.'),
  cursor: cursorParameter,
  type: z
    .preprocess(
      (given) => (typeof given === 'string' ? [given] : given),
      z
        .array(z.enum(accountEventTypes))
        .max(5)
        .refine((types) => new Set(types).size === types.length, 'expected each type once')
        .meta({ uniqueItems: true }),
    )
    .optional()
    .describe('Events of these types only; repeat the parameter.'),
  subjectType: z.enum(accountSubjectTypes).optional().describe('Events about this only.'),
}

// Ignoring a spelling that some clients have for a repeated parameter would answer with all types.
const noBrackets = z
  .record(z.string(), z.unknown())
  .refine((given) => !Object.keys(given).some((name) => name.startsWith('type[')), {
    error: 'repeat the parameter type, without brackets',
  })

export const accountEventQuery = noBrackets.pipe(z.object(accountEventParameters))

export type AccountEventQuery = z.infer<typeof accountEventQuery>
