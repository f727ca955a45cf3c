import {
  accountEventSchema,
  accountEventTypes,
  accountSubjectTypes,
  integrityStates,
} from '@feed-receiver/core/api'
import { z } from 'zod'
import { dateTime } from './fields.ts'

/** An account event as the service promises it (2.4): a closed set of types, subjects and states. */
export const serviceAccountEvent = z.object({
  ...accountEventSchema.shape,
  type: z.enum(accountEventTypes),
  occurredAt: dateTime,
  subject: z.object({
    ...accountEventSchema.shape.subject.shape,
    type: z.enum(accountSubjectTypes),
  }),
  integrityState: z.enum(integrityStates),
})

export type ServiceAccountEvent = z.infer<typeof serviceAccountEvent>
