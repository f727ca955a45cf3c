import { createHmac } from 'node:crypto'
import {
  accountEventSchema,
  accountEventTypes,
  accountSubjectTypes,
  integrityStates,
} from '@feed-receiver/client/internal'
import { z } from 'zod'
import { dateTime } from './fields.ts'

/** An account event as the service promises it: a closed set of types, subjects and states. */
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

/**
 * An account's reference to an event or a subject. It is stable, and meaningless to another
 * account, whose reference to the same thing differs.
 */
export function makeReference(
  key: Buffer,
  kind: 'event' | 'subject',
  accountId: string,
  id: string,
): string {
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([kind, accountId, id]))
    .digest('hex')
  return `${kind}_${digest.slice(0, 48)}`
}
